import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../src/cli/parsing/words.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

const split = (text: string): readonly string[] => splitWords(text, '--exec');

describe('a command line is split', () => {
  const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
    ['notify-send done', ['notify-send', 'done']],
    ['  a   b\tc ', ['a', 'b', 'c']],
    [`say "two words"`, ['say', 'two words']],
    [`say 'it is "here"'`, ['say', 'it is "here"']],
    [`say "a \\"b\\" \\\\ c"`, ['say', 'a "b" \\ c']],
    ['say two\\ words', ['say', 'two words']],
    [`pre'fix 'ed"  on"e`, ['prefix ed  one']],
    [`say ''`, ['say', '']],
    ['say $HOME `id` *.txt; rm', ['say', '$HOME', '`id`', '*.txt;', 'rm']],
    ['["say","two words","$x"]', ['say', 'two words', '$x']],
  ];
  it.each(lines)('%s', (line, words) => {
    expect(split(line)).toEqual(words);
  });

  it.each(['', '   ', `say "open`, `say 'open`, 'say \\', '[1]', '["a"', '[]', `''`])(
    'refuses %j',
    (line) => {
      expect(() => split(line)).toThrow(ScripError);
    },
  );

  it('gives back every word that was quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        fc.pre(words[0] !== '');
        const single = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
        expect(split(single)).toEqual(words);
        expect(split(JSON.stringify(words))).toEqual(words);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('fails with nothing but ScripError, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "'", '\\', ' ', 'a', '[', ']', ',') }),
        (text) => {
          try {
            expect(split(text)[0]).not.toBe('');
          } catch (error) {
            expect(error).toBeInstanceOf(ScripError);
          }
        },
      ),
      { numRuns: fuzzRuns(1_000) },
    );
  });
});
