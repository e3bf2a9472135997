import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageAhead } from '../../../src/cli/messages/ahead.ts';
import { checkLanguage, systemLanguage } from '../../../src/cli/messages/language.ts';
import { tellFrom } from '../../../src/cli/messages/translate.ts';
import { ScripError } from '../../../src/domain/errors.ts';

const tell = tellFrom({
  'not found': 'no encontrado',
  'order {0} is {1}': 'el pedido {0} está {~1}',
  '{0} is {1}': '{0} es {1}',
  'the file {0} {1}': 'el archivo {0} {~1}',
  'there are: {0}': 'hay: {,0}',
  'from {0} to {1}': 'hasta {1} desde {0}',
  'in steps': 'en pasos',
  'steps: {0}{1}': 'pasos: {0}{~1}',
  ' and more': ' y más',
});

describe('a message', () => {
  it.each([
    ['not found', 'no encontrado'],
    ['order 7 is not found', 'el pedido 7 está no encontrado'],
    ['7 is here', '7 es here'],
    ['a message of others is not ours', 'a message of others is not ours'],
    ['the file /x is y not found', 'el archivo /x is y not found'],
    ['the file /x not found', 'el archivo /x no encontrado'],
    ['there are: not found, a, in steps', 'hay: no encontrado, a, en pasos'],
    ['from a to b', 'hasta b desde a'],
    ['steps: ', 'pasos: '],
    ['nothing of ours', 'nothing of ours'],
    ['', ''],
  ])('%j is told as %j', (english, told) => {
    expect(tell(english)).toBe(told);
  });

  it('holds values that look like places, and like messages, as they are', () => {
    expect(tell('from {1} to $& not found')).toBe('hasta $& not found desde {1}');
  });

  it('of the longest sort takes no time for being hostile', () => {
    const text = `order ${' is '.repeat(100_000)}`;
    expect(tell(text)).toBe(text);
  });

  it('keeps every value, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        // Where one value ends and the next sentence begins, nobody can tell for all texts.
        fc.pre(!`${one} `.includes(' to ') && !/[.?!]/.test(one + other));
        expect(tell(`from ${one} to ${other}`)).toBe(`hasta ${other} desde ${one}`);
      }),
    );
  });

  it('that nobody knows is told as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/ is |^from |^the file |^there are|^steps|^ and more|^in steps|^not /.test(text));
        expect(tell(text)).toBe(text);
      }),
    );
  });
});

describe('the language', () => {
  it.each([
    [{}, 'en'],
    [{ LANG: 'es_ES.UTF-8' }, 'es'],
    [{ LANG: 'es_ES.UTF-8', LC_MESSAGES: 'en_GB' }, 'en'],
    [{ LC_ALL: 'es', LC_MESSAGES: 'en_GB' }, 'es'],
    [{ LC_ALL: '', LANG: 'ES' }, 'es'],
    [{ LC_ALL: 'C', LANG: 'es_MX' }, 'en'],
    [{ LANG: 'est_EE' }, 'en'],
    [{ LANG: 'eo' }, 'en'],
  ])('of a system with %j is %s', (env, language) => {
    expect(systemLanguage(env)).toBe(language);
  });

  const around = {
    env: { LANG: 'es_ES', SCRIP_LANG: '' },
    home: '/home/ada',
    isInteractive: false,
    readFile: () => '{"profiles":{"sandbox":{"lang":"en"},"casa":{"lang":"es"}}}',
  };
  it.each([
    [['brands', '--lang', 'es'], 'es'],
    [['--lang=es', 'brands'], 'es'],
    [['brands', '--', '--lang', 'es'], 'en'],
    [['brands', '--profile', 'casa'], 'es'],
    [['brands', '--profile', 'casa', '--lang', 'en'], 'en'],
    [['brands', '--lang'], 'en'],
  ])('of %j is %s', (words, language) => {
    expect(languageAhead(words, around)).toBe(language);
  });

  it('of settings that cannot be read is that of the system', () => {
    expect(languageAhead([], { ...around, readFile: () => '{' })).toBe('es');
  });

  it('that there are no messages in is refused, with those that there are', () => {
    const refused = () => checkLanguage('pt');
    expect(refused).toThrow(ScripError);
    expect(refused).toThrow('there are no messages in the language "pt"');
  });
});
