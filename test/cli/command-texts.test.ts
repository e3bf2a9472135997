/** What the program proposes to type does nothing else when a shell reads it, whatever others wrote into it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escapeText } from '../../src/domain/message/message.ts';
import { commandTexts, rendered, type Template, textsIn } from '../support/command-texts.ts';

const { made, unmade, own } = commandTexts();

const HOSTILE: readonly string[] = [
  'x;>PWNED;#',
  '$(>PWNED)',
  '`>PWNED`',
  "x';>PWNED;'",
  '";>PWNED;"',
  "\\';>PWNED;#\\",
  'x\n>PWNED\n',
  '| >PWNED',
  '&& >PWNED',
  // In the normal form that a terminal is given these are ; and `.
  'x\u037e>PWNED\u037e#',
  '\u1fef>PWNED\u1fef',
  '~/*?[x]{a,b}!!<PWNED',
];

/** What stands in a text as it is, and why it may. */
const OWN: Readonly<Record<string, string>> = {
  'api/partner/means.ts: guess': 'a question about one of our coins',
  'cli/agents/guide.ts: shown': 'an example of a command, as it declares it',
  "cli/browsing/listing.ts: near.length > 0 ? commandText`Did you mean ${wordList(near, t` or `)}? ` : ''":
    'made by commandText',
  'api/nearest-country.ts: joined(options, t`, or `)': 'each made by commandText',
  "cli/commands/search.ts: '<name>'": 'to be filled in',
  'cli/orders/resuming.ts: joined(elsewhere, t`, or `)': 'each made by commandText',
  'cli/parsing/misspelling.ts: line': 'to be filled in',
  'cli/tracking/tracking-all.ts: joined(flags, t`, or `)': 'each made by commandText',
  'cli/orders/partner-order.ts: how': 'made by commandText',
  'cli/wizard/known-answers.ts: fix': 'a sentence about the answer that is asked for',
  'cli/wizard/known-answers.ts: hint': 'the hint of an error',
  'cli/wizard/known-answers.ts: like': 'made by commandText',
  'cli/wizard/known-answers.ts: resume': 'made by commandText',
  'wallet/private-file.ts: what': 'the kind of a file, from our table',
};

const SHELLS = ['sh', 'bash', 'zsh', 'fish']
  .map((shell) =>
    spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim(),
  )
  .filter((path) => path !== '');

describe('a text that proposes a command', () => {
  it('is made by commandText wherever it has a value in it', () => {
    expect(unmade).toEqual([]);
  });

  // VALUE stands for a value in a template.
  it.each([
    ['hint: `See VALUE`', 1],
    ['hint: id === undefined ? undefined : `See VALUE`', 1],
    ["const fix = 'See ' + id", 1],
    ['note: `To see it: scrip orders show VALUE`', 1],
    ['const line = `scrip VALUE`', 1],
    ['flag: `--profile VALUE`', 1],
    ['hint: commandText`See VALUE`', 0],
    ["hint: 'Run: scrip orders'", 0],
    ['message: `VALUE is unknown`', 0],
  ])('is looked for: %s', (source, count) => {
    const code = source.startsWith('const') ? source : `x({ ${source} })`;
    const text = code.replace('VALUE', ['$', '{id}'].join(''));
    expect(textsIn('cli/x.ts', text).unmade).toHaveLength(count);
  });

  it('has texts of our own in it as they are, and these alone', () => {
    expect(own.toSorted()).toEqual(Object.keys(OWN).toSorted());
  });

  it('has no value within quotes of its own, where quoting it would open them', () => {
    const open = made.filter(({ parts }) =>
      parts.slice(0, -1).some((_, at) => {
        const before = parts.slice(0, at + 1).join('');
        return ["'", '"', '`'].some((quote) => before.split(quote).length % 2 === 0);
      }),
    );
    expect(open.map(({ place }) => place)).toEqual([]);
  });

  it('is one of many', () => {
    expect(made.length).toBeGreaterThan(70);
  });
});

describe('to a shell', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'scrip-hints-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs them where nothing but `scrip` is found, which notes down its words; gives those. */
  function run(shell: string, commands: readonly string[], at: string): readonly string[] {
    mkdirSync(at);
    writeFileSync(join(at, 'script'), [recorder(shell), ...commands, ''].join('\n'));
    spawnSync(shell, ['script'], { cwd: at, env: { PATH: at, HOME: at } });
    return readFileSync(join(at, 'record'), 'utf8').split('\0').slice(0, -1);
  }

  const table = SHELLS.flatMap((shell) => HOSTILE.map((hostile) => [shell, hostile] as const));
  it.each(table.map((row, index) => [...row, index] as const))(
    '%s, a value that is %j is a word',
    (shell, hostile, index) => {
      const lines = made.map((template) => rendered(template, hostile));
      const given = run(
        shell,
        [...lines.flatMap(commandsIn), "scrip 'the end'"],
        join(dir, `${index}`),
      );
      // Each place for a value within a command had it, whole.
      const places = made.reduce((count, template) => count + placesIn(template), 0);
      expect(places).toBeGreaterThan(40);
      expect(given.filter((word) => word.startsWith(hostile)).length).toBeGreaterThanOrEqual(
        places,
      );
      expect(given.at(-1)).toBe('the end');
      // As a terminal shows it, it is another text, and as harmless.
      const shown = [
        ...lines.map((line) => escapeText(line)).flatMap(commandsIn),
        "scrip 'the end'",
      ];
      expect(run(shell, shown, join(dir, `${index}-shown`)).at(-1)).toBe('the end');
      const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
      expect(
        files.filter(
          (name) => /^\d+(?:-shown)?\/PWNED/.test(name) && Number.parseInt(name, 10) === index,
        ),
      ).toEqual([]);
    },
  );

  it('there are two at least', () => {
    expect(SHELLS.length).toBeGreaterThanOrEqual(2);
  });
});

function recorder(shell: string): string {
  const note = '>>record';
  return shell.endsWith('fish')
    ? `function scrip; printf '%s\\0' $argv ${note}; end`
    : `scrip() { printf '%s\\0' "$@" ${note}; }`;
}

/** What is told to be run, up to the end of the text, with what is to be filled in. */
function commandsIn(line: string): readonly string[] {
  // Not a word of sh: it reads what a program writes.
  if (line.includes('<(')) return [];
  return [...line.matchAll(/(?<![\w-])scrip (?:--|[a-z])|(?<=[Rr]un: )(?!scrip )/g)].map(
    ({ index }) => line.slice(index).replace(/<[a-z_]+>/g, 'FILLED_IN'),
  );
}

/** Values behind the program's name in one sentence, where a shell can read what stands before them. */
function placesIn({ parts }: Template): number {
  const before = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('x'));
  return before.filter((text) => /(?<![\w-])scrip (?:--|[a-z])[^.:;()]*$/.test(text)).length;
}
