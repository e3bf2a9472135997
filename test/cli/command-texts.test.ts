/** What the program proposes to type does nothing else when a shell reads it, whatever others wrote into it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import {
  commandText,
  type OwnText,
  ownText,
  wordList,
} from '../../src/domain/message/command-text.ts';
import { escapeText } from '../../src/domain/message/message.ts';
import { tempFolder } from '../support/temp-folder.ts';

// Every text of the source that has values in it, and those of them that propose a command.

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** What is written about commands, and holds no value but our own names. */
const OWN_ALONE = /^cli\/(?:reference|schemas|i18n)\/|^cli\/topics\.ts/;
/** A fix that answers a question of the wizard: what is typed there is no command. */
const ANSWERS = /^(?:domain\/wizard|service\/agent\/)/;

const VERBS = COMMANDS.map(({ verb }) => verb).join('|');
const COMMAND = new RegExp(
  `(?<![\\w-])scrip (?:--[a-z]|(?:${VERBS})\\b|\\{\\d)|\\b[Rr]un: |^--[a-z][\\w-]*[ =]\\{0\\}$`,
);
const HINTS = /^(?:hint|fix)$/;

interface Template {
  readonly place: string;
  /** Values as `{0}`, `{1}`. */
  readonly text: string;
  readonly parts: readonly string[];
  readonly values: readonly ts.Expression[];
}

interface CommandTexts {
  /** Made by `commandText`. */
  readonly made: readonly Template[];
  /** Those that ought to be, and are not. */
  readonly unmade: readonly string[];
  /** What is handed to `ownText`. */
  readonly own: readonly string[];
}

function commandTexts(): CommandTexts {
  const made: Template[] = [];
  const unmade: string[] = [];
  const own = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!file.endsWith('.ts') || OWN_ALONE.test(file)) continue;
    const found = textsIn(file, readFileSync(`${SRC}${file}`, 'utf8'));
    made.push(...found.made);
    unmade.push(...found.unmade);
    for (const text of found.own) own.add(text);
  }
  return { made, unmade, own: [...own] };
}

/** The same of one file's text. */
function textsIn(file: string, source: string): CommandTexts {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = { made: [] as Template[], unmade: [] as string[], own: [] as string[] };
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'commandText') {
      if (ts.isTemplateExpression(node.template)) found.made.push(templateOf(file, node.template));
    } else if (isUnmade(node, file)) found.unmade.push(`${file}: ${node.getText()}`);
    if (isCallOf(node, 'ownText')) found.own.push(`${file}: ${node.arguments[0]?.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function templateOf(file: string, node: ts.TemplateExpression): Template {
  const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const values = node.templateSpans.map(({ expression }) => expression);
  return { place: `${file}: ${node.getText()}`, text: textOf(parts), parts, values };
}

const textOf = (parts: readonly string[]): string =>
  parts.reduce((text, part, at) => `${text}${at === 0 ? '' : `{${at - 1}}`}${part}`, '');

/** A text with values that is a command or a hint, put together without `commandText`. */
function isUnmade(node: ts.Node, file: string): boolean {
  if (ts.isTemplateExpression(node)) {
    if (ts.isTaggedTemplateExpression(node.parent)) return false;
    const { text } = templateOf(file, node);
    return COMMAND.test(text) || (isHint(node) && !ANSWERS.test(file));
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return isSum && (COMMAND.test(node.getText()) || isHint(node));
}

/** Whether it becomes a hint as it is: nothing but choices and brackets stand between. */
function isHint(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isPropertyAssignment(at) || ts.isVariableDeclaration(at))
      return HINTS.test(at.name.getText());
    if (ts.isBlock(at) || ts.isFunctionLike(at)) return false;
  }
  return false;
}

function isCallOf(node: ts.Node, name: string): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.getText() === name;
}

/** The text with this for every value that is not our own. */
function rendered({ parts, values }: Template, hostile: string): string {
  const given = values.map((value): string | OwnText => {
    if (isCallOf(value, 'ownText')) return ownText('OWN');
    if (!isCallOf(value, 'wordList')) return hostile;
    const between = value.arguments[1];
    const separator = between && ts.isStringLiteral(between) ? between.text : ', ';
    return wordList([hostile, hostile], separator);
  });
  return String(commandText(Object.assign([...parts], { raw: parts }), ...given));
}

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
  'cli/orders/resuming.ts: hosts': 'each made by commandText',
  'cli/parsing/misspelling.ts: line': 'to be filled in',
  'cli/tracking/tracking-all.ts: flags': 'each made by commandText',
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
  const dir = tempFolder();

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
