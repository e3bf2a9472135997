/** `scrip help`: the help of a command. The program prints topics earlier, before it parses the words. */

import type { Command } from 'commander';
import { commandText, meantText, wordList } from '../../domain/message/command-text.ts';
import { CODES, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { addExamples, addOptions, type Bind, type FlagsOf, rootOf } from '../command.ts';
import { errorRecords } from '../output/error.ts';
import { toJson } from '../output/json.ts';
import { listView, type View } from '../output/view.ts';

export function register(command: Command): void {
  command
    .argument('[command...]', 'words of a command, such as wallet new; or a topic')
    .action((words: readonly string[]) => helpOf(command, words).outputHelp());
  addExamples(command, ['help order', 'help wallet new', 'help money', 'help all']);
}

/** Finds the deepest command that the words name; the program has already refused unknown words. */
function helpOf(command: Command, words: readonly string[]): Command {
  return words.reduce<Command>(
    (found, word) => found.commands.find((child) => child.name() === word) ?? found,
    command.parent ?? command,
  );
}

// `scrip help errors`: the table of errors, or the rows of some codes.

export function registerErrors(command: Command, bind: Bind): void {
  command
    .argument('[code...]', 'error codes, such as WALLET_MISSING, in any case (default: all)')
    .action((codes: readonly string[]) => bind(() => listErrors(codes)));
  addExamples(command, [
    'help errors',
    'help errors OUTCOME_UNKNOWN',
    "help errors --json | jq '.[] | select(.exit == 9)'",
  ]);
}

async function listErrors(codes: readonly string[]): Promise<View> {
  const all = await everyRecord();
  const records = codes.length === 0 ? all : await named(codes, all);
  return listView({
    records,
    columns: [
      { header: t`CODE`, cell: ({ code }) => code, isWhole: true },
      { header: t`EXIT`, cell: ({ exit }) => String(exit), align: 'right' },
      {
        header: t`RETRY`,
        cell: ({ retryable }) => (retryable ? t`yes` : t`no`),
        dropOrder: 2,
      },
      { header: t`MONEY MOVED`, cell: ({ funds_at_risk }) => funds_at_risk, dropOrder: 1 },
      { header: t`WHAT TO DO`, cell: ({ hint }) => hint, below: 'sentence' },
    ],
  });
}

type ErrorRow = Awaited<ReturnType<typeof everyRecord>>[number];

async function everyRecord() {
  const own = errorRecords();
  // Some codes are both ours and the partner API's; show ours, since it has the command's exit code.
  const problems = (await problemRecords()).filter(({ code }) => !Object.hasOwn(CODES, code));
  return [...own, ...problems].toSorted((a, b) => a.exit - b.exit);
}

/** Returns rows in the order of the codes. @throws {ScripError} USAGE for an unknown code */
async function named(
  codes: readonly string[],
  all: readonly ErrorRow[],
): Promise<readonly ErrorRow[]> {
  const known = new Map(all.map((row) => [row.code, row]));
  const rows: ErrorRow[] = [];
  for (const typed of codes) {
    const row = known.get(typed.toUpperCase().replaceAll('-', '_'));
    if (row === undefined) throw await unknownCode(typed, [...known.keys()]);
    rows.push(row);
  }
  return rows;
}

async function unknownCode(code: string, known: readonly string[]): Promise<ScripError> {
  const { nearest } = await import('../../domain/product/catalog-query.ts');
  const near = nearest(known, code, 3);
  return new ScripError('USAGE', t`There is no error code "${code}"`, {
    details: { code, nearest: near },
    hint: meantText(near, t`Run: scrip help errors`),
  });
}

/** The partner API's order problems; `scrip validate` exits with the same code for each. */
async function problemRecords() {
  const [{ PROBLEM_CODES, SUSPENSION_CODES }, { explainProblem }] = await Promise.all([
    import('../../contract/codes.ts'),
    import('../../api/partner/problems.ts'),
  ]);
  const { exit, retryable, fundsAtRisk } = CODES.ORDER_PROBLEMS;
  return [...Object.keys(PROBLEM_CODES), ...Object.keys(SUSPENSION_CODES)].map((code) => ({
    code,
    exit,
    retryable,
    funds_at_risk: fundsAtRisk,
    hint: explainProblem({ problem: code }).remedy,
  }));
}

// `scrip help schema`: the JSON Schema of a command's `--json` output.

export function registerSchema(command: Command, bind: Bind): void {
  command
    .argument('[command...]', 'words of a command, such as wallet balance (default: all)')
    .action((words: readonly string[]) => bind(() => showSchema(words)));
  addExamples(command, [
    'help schema',
    'help schema order',
    'help schema wallet balance',
    "help schema brands --json | jq '.output.items'",
  ]);
}

async function showSchema(words: readonly string[]): Promise<View> {
  const { describedCommands, schemaOf } = await import('../schemas/table.ts');
  const known = describedCommands();
  if (words.length === 0) {
    return listView({
      records: known.map((command) => ({ command })),
      columns: [{ header: t`COMMAND`, cell: ({ command }) => command, isWhole: true }],
      note: t`The schema of one: scrip help schema <command>`,
    });
  }
  const path = words.join(' ');
  const record = schemaOf(path);
  if (record === undefined) throw await unknownPath(path, known);
  return { kind: 'text', text: toJson(record, 2), record };
}

async function unknownPath(path: string, known: readonly string[]): Promise<ScripError> {
  const { nearest } = await import('../../domain/product/catalog-query.ts');
  const below = known.filter((name) => name.startsWith(`${path} `));
  const near = below.length > 0 ? below : nearest(known, path, 3);
  return new ScripError('USAGE', t`there is no command "${path}" that prints JSON`, {
    details: { command: path, nearest: near },
    hint:
      below.length > 3
        ? commandText`Choose one of its subcommands: ${wordList(below)}`
        : meantText(near, t`Run: scrip help schema`),
  });
}

// `scrip help context`: the guide for agents, on one page.

const CONTEXT_OPTIONS = {
  '--format <form>': { what: 'format of the page', choices: ['md', 'json'], usual: 'md' },
} as const;

export function registerContext(command: Command, bind: Bind): void {
  addOptions(command, CONTEXT_OPTIONS).action(({ format }: FlagsOf<typeof CONTEXT_OPTIONS>) =>
    bind(async ({ version }) => {
      const { describeProgram } = await import('../agents/guide.ts');
      const { guideText } = await import('../reference/guide-text.ts');
      const guide = describeProgram(rootOf(command), version);
      const text = format === 'json' ? toJson(guide, 2) : guideText(guide);
      return { kind: 'text', text, record: guide };
    }),
  );
  addExamples(command, [
    'help context',
    'help context --format json',
    'help context > AGENT-CONTEXT.md',
  ]);
}
