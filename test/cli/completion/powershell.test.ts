/** PowerShell, as its about_Quoting_Rules says that it reads: there is none here to be asked. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { answerCompletion } from '../../../src/cli/completion/answer.ts';
import type { KnownHere } from '../../../src/cli/completion/live.ts';
import { POWERSHELL } from '../../../src/cli/completion/powershell.ts';
import {
  quoteForPowerShell,
  readPowerShellLine,
} from '../../../src/cli/completion/powershell-line.ts';
import { nothingRemembered } from '../../../src/cli/completion/remembered.ts';
import { type CommandNode, describeTree } from '../../../src/cli/completion/tree.ts';
import { smallSettings } from '../../support/small-context.ts';

describe('a line of PowerShell up to the cursor', () => {
  it.each([
    ['scrip brands --country u', ['scrip', 'brands', '--country'], 'u'],
    ['scrip brands --country ', ['scrip', 'brands', '--country'], ''],
    ["scrip 'it''s' x", ['scrip', "it's"], 'x'],
    ['scrip "say ""yes""" x', ['scrip', 'say "yes"'], 'x'],
    ['scrip "a`"b`$c" x', ['scrip', 'a"b$c'], 'x'],
    ["scrip 'a`b' x", ['scrip', 'a`b'], 'x'],
    ['scrip a` b c', ['scrip', 'a b'], 'c'],
    ['scrip --brand "American E', ['scrip', '--brand'], 'American E'],
    ["scrip --brand 'Lowe''", ['scrip', '--brand'], "Lowe'"],
    ['scrip \u2018curly\u2019 \u201cones\u201d', ['scrip', 'curly'], 'ones'],
    ['scrip "" x', ['scrip', ''], 'x'],
    ['scrip a`', ['scrip'], 'a'],
  ])('%s', (line, words, current) => {
    expect(readPowerShellLine(line)).toEqual({ words, current });
  });
});

/** What PowerShell makes of a word that stands between single quotes: two of them are one. */
function valueOfVerbatim(word: string): string | undefined {
  const [, inside] = /^'((?:[^'\u2018-\u201b]|(['\u2018-\u201b])\2)*)'$/u.exec(word) ?? [];
  return inside?.replaceAll(/(['\u2018-\u201b])\1/gu, '$1');
}

describe('a text as a word of PowerShell', () => {
  it.each([
    ['Steam', 'Steam'],
    ['--max-amount', '--max-amount'],
    ['Amazon.com', 'Amazon.com'],
    ['American Eagle', "'American Eagle'"],
    ["Lowe's", "'Lowe''s'"],
    ['Lowe\u2019s', "'Lowe\u2019\u2019s'"],
    ['$(calc)', "'$(calc)'"],
    ['a`b', "'a`b'"],
    ['AT&T', "'AT&T'"],
    ['@home', "'@home'"],
    ['a,b', "'a,b'"],
    ['[x] {y} (z)', "'[x] {y} (z)'"],
    ['--brand=American Eagle', "'--brand=American Eagle'"],
    ['-Verbose', "'-Verbose'"],
    ['1kb', "'1kb'"],
    ['0a1b-22', '0a1b-22'],
  ])('%s', (text, word) => {
    expect(quoteForPowerShell(text)).toBe(word);
  });

  it('is bare without a character of its grammar, or verbatim with the very text in it', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    const rough = fc.string({
      unit: fc.constantFrom("'", '\u2018', '\u2019', '"', '`', '$', ' ', 'a', '-', '{', ')', ';'),
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.oneof(text, rough), (value) => {
        const word = quoteForPowerShell(value);
        if (word === value) expect(word).toMatch(/^[\w./:=+-]+$/);
        else expect(valueOfVerbatim(word)).toBe(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is read back from a line as it was', () => {
    const value = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(value, (text) => {
        const line = `scrip ${quoteForPowerShell(text)} `;
        expect(readPowerShellLine(line).words).toEqual(['scrip', text]);
      }),
      { numRuns: 1_000 },
    );
  });
});

let tree: CommandNode;
beforeAll(async () => {
  tree = describeTree(await buildTree('1.2.3', async () => undefined));
});

const BRANDS = ['Amazon.com', 'American Eagle', "Lowe's", 'Zürich $(x)'];

interface Answer {
  readonly kind: string;
  readonly choices: readonly {
    readonly text: string;
    readonly list: string;
    readonly tip: string;
  }[];
}

/** As the script sends it, the cursor where the bar is. */
function ask(line: string): { readonly answer: Answer; readonly written: string } {
  const encoded = Buffer.from(line.replace('|', '\0')).toString('base64');
  const here: KnownHere = {
    settings: (flags) => smallSettings(flags),
    remembered: () => nothingRemembered(''),
    profiles: () => [],
    builtLines: () => [],
    tree: () => tree,
    embedded: {
      brands: () => BRANDS.map((name) => ({ name, family: 'Gift Cards' })),
      products: () => [],
    },
  };
  const words = ['line', '--shell', 'powershell', '--line', encoded];
  const written = answerCompletion(words, here);
  return { written, answer: JSON.parse(written) };
}

describe('PowerShell is answered', () => {
  it.each([
    ['scrip wal|', ['wallet']],
    ['scrip catalog --brand am|', ['Amazon.com', "'American Eagle'"]],
    ['scrip catalog --brand "American E|', ["'American Eagle'"]],
    ["scrip catalog --brand 'Lowe''|", ["'Lowe''s'"]],
    ['scrip catalog --brand=Lo|', ["'--brand=Lowe''s'"]],
    ['scrip catalog --brand Zü|', ["'Zürich $(x)'"]],
    ['& scrip wallet ba|', ['balance']],
    ['scrip order --js| --json', []],
    ['scrip policy check --kind g| --amount 3', ['giftcard']],
  ])('%s', (line, texts) => {
    const { answer } = ask(line);
    expect(answer.kind).toBe('values');
    expect(answer.choices.map(({ text }) => text)).toEqual(texts);
    for (const { list, tip } of answer.choices) expect([list, tip]).not.toContain('');
  });

  it('that the shell itself knows the files', () => {
    expect(ask('scrip order --cart |').answer).toEqual({ kind: 'files', choices: [] });
  });

  it('on one line of ASCII, whatever is in it', () => {
    expect(ask('scrip catalog --brand Zü|').written).toMatch(/^[\x20-\x7e]+\n$/);
  });
});

/** What is left of a script without its comments and texts; brackets that do not match are an error. */
function skeleton(script: string): string {
  const bare = script
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, '')
    .replaceAll(/"(?:[^"`]|`.)*"/g, '');
  expect(bare).not.toMatch(/['"`]/);
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[' };
  for (const character of bare) {
    if ('({['.includes(character)) open.push(character);
    const other = pairs[character];
    if (other !== undefined) expect(open.pop()).toBe(other);
  }
  expect(open).toEqual([]);
  return bare;
}

describe('the script of PowerShell', () => {
  it('closes what it opens', () => {
    expect(skeleton(POWERSHELL)).toContain('Register-ArgumentCompleter -Native -CommandName scrip');
  });

  it('uses no variable that it has not set, but those of the shell', () => {
    const bare = skeleton(POWERSHELL);
    const set = [...bare.matchAll(/\$(\w+)\s*=[^=]|foreach \(\$(\w+) in|[(,] ?\$(\w+)(?=[,)])/g)];
    const known = new Set([...set.flatMap(([, ...names]) => names), 'null']);
    for (const [, name] of bare.matchAll(/\$(\w+)/g)) expect(known).toContain(name);
  });

  it('hands nothing to the program but words of ours and base64', () => {
    const [call] = /scrip completion --[^|\n]*/.exec(POWERSHELL) ?? [];
    expect(call).toBe('scrip completion --values line --shell powershell --line $line 2>$null ');
  });
});
