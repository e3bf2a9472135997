/** What bash would read, read and written without it; and by it. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteForLine, readShellLine } from '../../../src/cli/completion/answer.ts';

/** As bash sets it. */
const BREAKS = ' \t\n"\'@><=;|&(:';
const text = fc.stringMatching(/^[ -~äß日\u{1f600}]{1,20}$/u);

describe('a line up to the cursor', () => {
  it.each([
    ['scrip brands --country u', ['scrip', 'brands', '--country'], 'u', 0],
    ['scrip brands --country ', ['scrip', 'brands', '--country'], '', 0],
    ['scrip a\\ b c', ['scrip', 'a b'], 'c', 0],
    [`scrip "a 'b" 'c "d' e`, ['scrip', "a 'b", 'c "d'], 'e', 0],
    ['scrip --brand "Amazon P', ['scrip', '--brand'], 'Amazon P', 0],
    ['scrip --brand=Ama', ['scrip'], '--brand=Ama', 8],
    ['scrip --brand="Ama', ['scrip'], '--brand=Ama', 8],
    ['scrip a:b', ['scrip'], 'a:b', 2],
    ['scrip a\\:b', ['scrip'], 'a:b', 0],
    ['scrip "a"b', ['scrip'], 'ab', 1],
    ['scrip ""', ['scrip'], '', 0],
    ['scrip "" x', ['scrip', ''], 'x', 0],
    ['scrip "a\\"b\\c', ['scrip'], 'a"b\\c', 0],
    ['scrip a\\', ['scrip'], 'a', 0],
  ])('%s', (line, words, current, kept) => {
    expect(readShellLine(line, BREAKS)).toMatchObject({ words, current, kept });
  });
});

describe('a text at the end of a line', () => {
  it('is read back as it was, whatever quote is open', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, '"' as const, "'" as const), (name, quote) => {
        const line = `x ${quote ?? ''}${quoteForLine(name, quote)}`;
        // The shell closes the quote, unless one is the last character.
        const closed = quote === undefined || line.endsWith(quote) ? line : line + quote;
        expect(readShellLine(`${closed} `, BREAKS).words).toEqual(['x', name]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one word to bash itself, and nothing of it is run', () => {
    const names = fc.sample(text, 200);
    const lines = names.map((name) => `printf '%s\\0' ${quoteForLine(name, undefined)}`);
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `PATH=\n${lines.join('\n')}`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    });
    expect(stderr).toBe('');
    expect(stdout.split('\0').slice(0, -1)).toEqual(names);
  });
});
