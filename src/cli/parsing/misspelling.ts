/**
 * What is wrong with a command line: a misspelt word and what was probably meant, all that is
 * missing; and commander's messages, translated. Loaded for a mistake only.
 */

import type { Command, CommanderError } from 'commander';
import { commandText, ownText, shellWord, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t, verbatim } from '../../domain/message/message.ts';
import { longFlags } from '../command.ts';
import type { LineReading } from '../completion/candidates.ts';
import { optionWords } from './words.ts';

/** Words that are neither options nor values of global options. */
type Positionals = readonly string[];

/** The maximum number of names that a hint lists. */
const FEW = 12;

/**
 * The error for a word after `help` that is no command and no topic; undefined if each is one. Without this
 * check, commander would ignore the unknown word and show the group's help.
 */
export async function unknownToHelp(
  program: Command,
  path: Positionals,
): Promise<ScripError | undefined> {
  let command = program;
  for (const [at, word] of path.entries()) {
    const found = command.commands.find((child) => child.name() === word);
    if (found === undefined) {
      return command === program
        ? unknownTopic(program, word)
        : notAmong('subcommand', word, {
            known: namesOf(command),
            before: ['help', ...path.slice(0, at)],
          });
    }
    command = found;
  }
  return undefined;
}

async function unknownTopic(program: Command, word: string): Promise<ScripError | undefined> {
  const [{ TOPICS, TOPIC_COMMANDS }, { otherName }] = await Promise.all([
    import('../topics.ts'),
    import('./other-names.ts'),
  ]);
  const hint = otherName(word, [word]);
  if (hint !== undefined) return mistake(UNKNOWN.command(word), { hint });
  const topics = [...TOPICS, ...TOPIC_COMMANDS].map(({ name }) => name);
  const otherwise = commandText`Topics: ${wordList(topics)}. The commands: scrip help all`;
  const known = [...namesOf(program), ...topics];
  return notAmong('command', word, { known, before: ['help'], otherwise });
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((child) => child.name());
}

interface Known {
  readonly known: readonly string[];
  /** The words of the command before the name, so that the hint is a line to paste; for options none. */
  readonly before?: readonly string[];
  /** The hint if no name is similar; by default it lists all names, if they are few. */
  readonly otherwise?: Message;
  readonly cause?: CommanderError;
}

type Kind = 'command' | 'subcommand' | 'option';

const UNKNOWN: Readonly<Record<Kind, (word: string) => Message>> = {
  command: (word) => t`Unknown command '${word}'`,
  subcommand: (word) => t`Unknown subcommand '${word}'`,
  option: (word) => t`Unknown option '${word}'`,
};

async function notAmong(
  what: Kind,
  word: string,
  { known, before, otherwise, cause }: Known,
): Promise<ScripError | undefined> {
  if (known.length === 0 || known.includes(word)) return undefined;
  const { nearestWord } = await import('../../domain/product/catalog-query.ts');
  const near = nearestWord(known, word);
  const list = known.length > FEW ? otherwise : commandText`Available: ${wordList(known)}.`;
  const meant = before === undefined ? [near ?? ''] : ['scrip', ...before, near ?? ''];
  const hint = near === undefined ? list : commandText`Did you mean ${wordList(meant, ' ')}?`;
  return mistake(UNKNOWN[what](word), { cause, hint });
}

function mistake(
  message: Message,
  {
    cause,
    hint,
  }: { readonly cause?: CommanderError | undefined; readonly hint?: Message | undefined },
): ScripError {
  return new ScripError('USAGE', message, { cause, ...(hint && { hint }) });
}

/** Turns commander's error into ours. */
export function usageError(cause: CommanderError): ScripError {
  const [first, ...more] = cause.message.split('\n');
  const suggestion = more
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  const message = parserMessage((first ?? '').replace(/^error: /, ''));
  return mistake(message, {
    cause,
    hint: suggestion === '' ? undefined : parserMessage(suggestion),
  });
}

/** Suggests the intended word for a line that does not parse; undefined if nothing was misspelt. */
export async function misspelt(
  cause: CommanderError,
  words: readonly string[],
  program: Command,
): Promise<ScripError | undefined> {
  const judge = JUDGES[cause.code];
  if (judge === undefined) return undefined;
  const [{ describeTree }, { readLine }] = await Promise.all([
    import('../completion/tree.ts'),
    import('../completion/candidates.ts'),
  ]);
  return judge(readLine(describeTree(program), words), cause, words);
}

type Judge = (
  line: LineReading,
  cause: CommanderError,
  words: readonly string[],
) => Promise<ScripError | undefined>;

/** By commander's error code. */
const JUDGES: Readonly<Partial<Record<string, Judge>>> = {
  'commander.unknownCommand': unknownVerb,
  'commander.unknownOption': unknownShort,
  'commander.excessArguments': async ({ node, positionals }, cause, words) => {
    const [word] = positionals;
    if (node.path === 'pay') return goodsToPay(positionals, cause, words);
    if (node.path === 'orders' && word !== undefined && /\d/.test(word)) {
      const hint = commandText`To see an order: scrip orders show ${word}`;
      return mistake(UNKNOWN.subcommand(word), { cause, hint });
    }
    return word === undefined
      ? undefined
      : notAmong('subcommand', word, { ...childrenOf(node), cause });
  },
  // Commander reports a missing option before an unknown one, which is often the same option, misspelt.
  'commander.missingMandatoryOptionValue': unknownOption,
  'commander.invalidArgument': notAChoice,
};

async function unknownVerb(
  { node, positionals: [word = ''] }: LineReading,
  cause: CommanderError,
  words: readonly string[],
): Promise<ScripError | undefined> {
  if (node.path !== '') {
    return notAmong('command', word, { ...childrenOf(node), cause });
  }
  const [{ otherName, typedFor }, { nearestWord }] = await Promise.all([
    import('./other-names.ts'),
    import('../../domain/product/catalog-query.ts'),
  ]);
  const near = nearestWord(childrenOf(node).known, word);
  const hint =
    otherName(word, words) ??
    (near === undefined ? t`All commands: scrip help all` : typedFor(near, word, words));
  return mistake(UNKNOWN.command(word), { cause, hint });
}

function childrenOf({ path, children }: LineReading['node']): Pick<Known, 'known'> & {
  readonly before: readonly string[];
} {
  return { known: children.map(({ name }) => name), before: path.split(' ') };
}

/** Options that commander gives no suggestion for: `-v`, and a long one with a single dash. */
async function unknownShort(
  { node, options }: LineReading,
  cause: CommanderError,
  words: readonly string[],
): Promise<ScripError | undefined> {
  const [first = '', ...more] = words;
  if (node.path === '' && first === '-v' && more.length === 0) {
    return mistake(UNKNOWN.option(first), { cause, hint: t`Did you mean scrip --version?` });
  }
  const known = options.flatMap(({ names }) => names);
  const [, typed] = /unknown option '(-[a-z][a-z-]+)'/.exec(cause.message) ?? [];
  const long = known.find((name) => name.slice(1) === typed);
  if (typed === undefined || long === undefined) return undefined;
  return mistake(UNKNOWN.option(typed), { cause, hint: commandText`Did you mean ${long}?` });
}

/** `pay amazon 25`: `pay` takes the id of an existing order; products need `order`. */
async function goodsToPay(
  positionals: Positionals,
  cause: CommanderError,
  words: readonly string[],
): Promise<ScripError> {
  const { otherName } = await import('./other-names.ts');
  const typed = words.slice(words.indexOf('pay') + 1);
  const hint = otherName('buy', ['buy', ...typed]);
  return mistake(t`scrip pay takes one order id, not ${positionals.length}`, { cause, hint });
}

async function unknownOption(
  { options }: LineReading,
  cause: CommanderError,
  words: readonly string[],
): Promise<ScripError | undefined> {
  const known = options.flatMap(({ names }) => names);
  const typed = optionWords(words)
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=')[0] ?? word)
    .find((word) => !known.includes(word));
  return typed === undefined ? undefined : notAmong('option', typed, { known, cause });
}

/** Commander's message lists the choices itself. */
async function notAChoice(
  { given, node, positionals }: LineReading,
  cause: CommanderError,
): Promise<ScripError | undefined> {
  const typed = [
    ...given.map(({ option, value }) => ({ values: option.values, value })),
    ...positionals.map((value, at) => ({ values: node.arguments[at]?.values, value })),
  ];
  for (const { values, value } of typed) {
    const choices = values?.kind === 'words' ? values.words : [];
    if (value === undefined || choices.length === 0 || choices.includes(value)) continue;
    const { nearest } = await import('../../domain/product/catalog-query.ts');
    const [near] = nearest(choices, value, 1);
    const hint =
      near === undefined
        ? commandText`Name one of them, such as ${choices[0] ?? ''}.`
        : commandText`Did you mean ${near}?`;
    return mistake(usageError(cause).sentence, { cause, hint });
  }
  return undefined;
}

const MISSING: ReadonlySet<string> = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
]);

/** Undefined for other errors, and if only one thing is missing: commander's own message is good then. */
export function missingWords(
  cause: CommanderError,
  program: Command,
  positionals: readonly string[],
): ScripError | undefined {
  if (!MISSING.has(cause.code)) return undefined;
  const { command, path } = commandOf(program, positionals);
  const words = command.registeredArguments
    .filter(({ required }, at) => required && at >= command.args.length)
    .map((argument) => `<${argument.name()}>`);
  const options = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const missing = [...words, ...options.flatMap(({ long }) => long ?? [])];
  const message =
    missing.length > 1
      ? t`Not given: ${missing.join(', ')}`
      : parserMessage(cause.message.replace(/^error: /, ''));
  const count = command.registeredArguments.length;
  const [known, [stray, ...others]] = [command.args.slice(0, count), command.args.slice(count)];
  // A word too many is probably the value of the only option that is missing.
  const isMeant = stray !== undefined && others.length === 0 && options.length === 1;
  const asked = options.map(({ flags, long }) =>
    isMeant ? `${long} ${shellWord(stray)}` : longFlags(flags),
  );
  const line = [...words, ...asked].join(' ');
  return new ScripError('USAGE', message, {
    cause,
    hint: commandText`Such as: scrip ${wordList([...path, ...known], ' ')} ${ownText(line)}`,
    details: { missing },
  });
}

/** The deepest command that the words name. */
function commandOf(
  program: Command,
  [word, ...rest]: readonly string[],
  path: readonly string[] = [],
): { readonly command: Command; readonly path: readonly string[] } {
  const next = program.commands.find((child) => child.name() === word);
  if (next !== undefined) return commandOf(next, rest, [...path, next.name()]);
  return { command: program, path };
}

type Form = readonly [form: RegExp, said: (...values: readonly string[]) => Message];

const FORMS: readonly Form[] = [
  [/^unknown option '(.*)'$/s, (flag = '') => UNKNOWN.option(flag)],
  [/^unknown command '(.*)'$/s, (word = '') => UNKNOWN.command(word)],
  [
    /^required option '(?:-\w, )?(.*)' not specified$/s,
    (flag = '') => t`Required option '${flag}' not specified`,
  ],
  [/^missing required argument '(.*)'$/s, (name = '') => t`Missing required argument '${name}'`],
  [
    /^option '(?:-\w, )?(.*)' argument missing$/s,
    (flag = '') => t`Option '${flag}' argument missing`,
  ],
  [
    /^option '(?:-\w, )?(--[^']*)' argument '(.*)' is invalid\. (Allowed choices are .*\.)$/s,
    (flag = '', value = '', why = '') =>
      t`Option '${flag}' argument '${value}' is invalid. ${parserMessage(why)}`,
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '([^']*)'\. (Allowed choices are .*\.)$/s,
    (value = '', name = '', why = '') =>
      t`Value '${value}' is invalid for argument '${name}'. ${parserMessage(why)}`,
  ],
  [/^Allowed choices are (.*)\.$/s, (choices = '') => t`Allowed choices are ${choices}.`],
  [
    /^too many arguments(?: for '.*')?\. Expected (\d+) arguments? but got (\d+)\.$/s,
    (expected = '', given = '') => t`Too many arguments. Expected: ${expected}, given: ${given}.`,
  ],
  [/^Did you mean one of (.*)\?$/s, (words = '') => t`Did you mean one of ${words}?`],
  [/^Did you mean (.*)\?$/s, (word = '') => t`Did you mean ${word}?`],
];

/** An unknown message stays as it is. */
export function parserMessage(text: string): Message {
  for (const [form, said] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return said(...found.slice(1));
  }
  return verbatim(text);
}
