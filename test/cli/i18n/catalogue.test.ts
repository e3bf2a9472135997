/** Every text that people are told has its Spanish, and nothing else has. */
import { describe, expect, it } from 'vitest';
import ES from '../../../src/cli/i18n/es.json' with { type: 'json' };
import { inWords } from '../../../src/cli/wizard/interview.ts';
import { CODES } from '../../../src/domain/message/errors.ts';
import { sentence } from '../../../src/domain/message/message.ts';
import { messageTexts, textsIn } from '../../support/message-texts.ts';

const { keys, untagged } = messageTexts();
/** What an agent is told to send, a person is told to type. */
const TYPED = keys.map(({ text }) => String(inWords(sentence(text))));
const KNOWN: ReadonlySet<string> = new Set([...keys.map(({ text }) => text), ...TYPED]);
const PAIRS = Object.entries(ES);

function placesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{(\d+)\}/g)].map(([, index = '']) => index))].sort();
}

describe('the source', () => {
  it('tags every text that people are told', () => {
    expect(untagged, 'tag them with t: docs/inside/languages.md').toEqual([]);
  });

  // VALUE stands for a value in a template.
  it.each([
    ['const said = `VALUE is not sold here`', 1],
    ["const said = 'Nothing was paid.'", 1],
    ["const lines = [['Status', status]]", 1],
    ["const view = { header: 'PRICE' }", 1],
    ['const said = t`VALUE is not sold here`', 0],
    ['const said = commandText`Run: scrip track VALUE`', 0],
    ["const said = verbatim('Nothing was paid.')", 0],
  ])('in %s has %i without a tag', (source, count) => {
    const code = source.replace('VALUE', ['$', '{name}'].join(''));
    expect(textsIn('cli/x.ts', code).untagged).toHaveLength(count);
  });

  it('has helps that are looked up as they stand, without values', () => {
    const file = "command.option('--port <n>', `port (default: VALUE)`)";
    const code = file.replace('VALUE', ['$', '{port}'].join(''));
    expect(textsIn('cli/commands/x.ts', code).untagged).toHaveLength(1);
  });
});

describe('the Spanish catalogue', () => {
  it('has every text of the source that people are told', () => {
    const missing = keys.filter(({ text }) => !Object.hasOwn(ES, text));
    expect(missing, 'texts to be translated: docs/inside/languages.md').toEqual([]);
    expect(TYPED.filter((text) => !Object.hasOwn(ES, text))).toEqual([]);
  });

  it('has no text that nobody is told', () => {
    expect(Object.keys(ES).filter((text) => !KNOWN.has(text))).toEqual([]);
  });

  it('is in the order of its keys, so that two changes seldom meet', () => {
    expect(Object.keys(ES)).toEqual(Object.keys(ES).toSorted());
  });

  it('has the values of each text on both sides', () => {
    const uneven = PAIRS.filter(
      ([english, told]) => `${placesOf(english)}` !== `${placesOf(told)}`,
    );
    expect(uneven).toEqual([]);
  });

  it('begins and ends texts that are put together as the English ones do', () => {
    const edges = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]];
    const uneven = PAIRS.filter(([english, told]) => `${edges(english)}` !== `${edges(told)}`);
    expect(uneven).toEqual([]);
  });

  it('keeps texts of several lines within 80 columns', () => {
    const lines = Object.values(ES)
      .filter((told) => told.includes('\n'))
      .flatMap((told) => told.split('\n'));
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('  $ '))).toEqual([]);
  });

  it('keeps commands, flags and variables as they are typed', () => {
    const typed = (text: string) =>
      [...text.matchAll(/--[a-z][\w-]+|SCRIP_\w+|<[a-z_ ]+>/g)].map(([found]) => found).toSorted();
    expect(PAIRS.filter(([english, told]) => `${typed(english)}` !== `${typed(told)}`)).toEqual([]);
  });

  it('has every hint of the table of codes', () => {
    const hints = Object.values(CODES).map(({ hint }) => hint.key);
    expect(hints.filter((hint) => !Object.hasOwn(ES, hint))).toEqual([]);
  });
});
