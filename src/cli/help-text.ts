/**
 * Prints `--help`: the first screen for the program; for a command its main options, then where to find the
 * others.
 */

import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { commandText, wordList } from '../domain/message/command-text.ts';
import { type Said, sentence, t } from '../domain/message/message.ts';
import { examplesOf, pathOf } from './command.ts';
import { firstScreen } from './first-screen.ts';
import { type Localize, localSaid } from './i18n/localize.ts';
import { itemLines, wrapWords } from './output/wrap.ts';

interface Manner {
  readonly localize: Localize;
  /** Whether `--all` was given. */
  readonly isWhole: boolean;
}

type Item = readonly [term: string, what: string];

/** The number of examples shown above the main options. */
const FEW = 2;

export function helpConfiguration({ localize, isWhole }: Manner): HelpConfiguration {
  const usual = new Help();
  return {
    optionDescription: (option) =>
      withoutQuotes(option.description, usual.optionDescription(option)),
    argumentDescription: (argument) =>
      withoutQuotes(argument.description, usual.argumentDescription(argument)),
    formatItem: (term, width, what, helper) =>
      itemLines(`  ${term}`, what, { margin: width + 4, columns: columnsOf(helper) }).join('\n'),
    boxWrap: (text, columns) =>
      text
        .split('\n')
        .flatMap((line) => wrapWords(line, columns))
        .join('\n'),
    formatHelp(command, helper) {
      const columns = columnsOf(helper);
      if (command.parent === null) return rootHelp(localize, columns);
      const most = isWhole ? undefined : MOST_USED.get(pathOf(command));
      const parts =
        most === undefined ? whole(command, helper) : short(command, helper, { most, localize });
      const examples = most === undefined ? examplesOf(command) : examplesOf(command).slice(0, FEW);
      const rest = most && restOf(command, most.length);
      const others = t`Options of every command, such as --json and --profile: scrip help options`;
      const ends = [...(rest === undefined ? [] : [rest]), others].map((end) =>
        helper.boxWrap(localize(end), columns),
      );
      const shown = exampleLines(examples, { localize, columns });
      return [...parts, ...shown, ...ends, ''].join('\n');
    },
  };
}

function columnsOf({ helpWidth = 80 }: Help): number {
  return helpWidth;
}

function rootHelp(localize: Localize, columns: number): string {
  const options = [
    ['-V, --version', t`print the version`],
    ['-h, --help', t`print this help`],
  ] as const;
  const lines = options.map(([flags, what]) => `  ${flags.padEnd(15)}${localize(what)}`);
  return [firstScreen({ kind: 'nothing' }, { columns, localize }), ...lines, ''].join('\n');
}

/** Commander's own format, up to the part added below. */
function whole(command: Command, helper: Help): readonly string[] {
  const text = Help.prototype.formatHelp.call(helper, command, helper);
  return [text.trimEnd(), ''];
}

interface Shortened {
  readonly most: readonly string[];
  readonly localize: Localize;
}

function short(command: Command, helper: Help, { most, localize }: Shortened): readonly string[] {
  const known = helper.visibleOptions(command);
  const options = [...most, '--help'].flatMap(
    (name) => known.find(({ long }) => long === name) ?? [],
  );
  const given: readonly Item[] = [
    ...helper
      .visibleArguments(command)
      .map((one) => [helper.argumentTerm(one), helper.argumentDescription(one)] as const),
    ...options.map(
      (one: Option) => [helper.optionTerm(one), helper.optionDescription(one)] as const,
    ),
  ];
  const commands: readonly Item[] = helper
    .visibleCommands(command)
    .map((one) => [one.name(), helper.subcommandDescription(one)] as const);
  const width = Math.max(...[...given, ...commands].map(([term]) => term.length));
  const lines = (items: readonly Item[]) =>
    items.map(([term, what]) => helper.formatItem(term, width, what, helper));
  return [
    `${localize(t`Usage:`)} ${helper.commandUsage(command)}`,
    '',
    helper.boxWrap(helper.commandDescription(command), columnsOf(helper)),
    '',
    ...lines(given),
    '',
    ...(commands.length === 0 ? [] : [localize(t`Commands:`), ...lines(commands), '']),
  ];
}

const PROMPT = '  $ ';

function exampleLines(
  examples: readonly string[],
  { localize, columns }: { readonly localize: Localize; readonly columns: number },
): readonly string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap((example) =>
    wrapWords(['scrip', example].join(' '), columns - PROMPT.length).map(
      (line, at) => (at === 0 ? PROMPT : ' '.repeat(PROMPT.length)) + line,
    ),
  );
  return [localize(t`Examples:`), ...lines, ''];
}

function restOf(command: Command, shown: number) {
  const count = command.options.filter(({ hidden }) => !hidden).length - shown;
  const path = wordList(pathOf(command).split(' '), ' ');
  return count > 0 ? commandText`${count} more options: scrip ${path} --help --all` : undefined;
}

/** Returns the configuration for commander's `configureHelp`, with translated headings and descriptions. */
export function localHelp(localize: Localize): HelpConfiguration {
  const usual = new Help();
  const said = (text: string): string => localize(sentence(text));
  return {
    styleTitle: (title) => localize(TITLES.find((one) => String(one) === title) ?? sentence(title)),
    commandDescription: (command) => said(usual.commandDescription(command)),
    subcommandDescription: (command) => said(usual.subcommandDescription(command)),
    optionDescription: (option) => inBoth(option, usual.optionDescription(option), localize),
    argumentDescription: (argument) =>
      inBoth(argument, usual.argumentDescription(argument), localize),
  };
}

/** Commander quotes the choices and the default that it appends. */
function withoutQuotes(description: string, whole: string): string {
  return description + whole.slice(description.length).replaceAll('"', '');
}

/** Headings that commander prints. */
const TITLES = [t`Usage:`, t`Arguments:`, t`Options:`, t`Global Options:`, t`Commands:`];

/** Translates a description, and the choices and default that commander appends to it. */
function inBoth({ description }: Option | Argument, whole: string, localize: Localize): string {
  const added = withoutQuotes(description, whole).slice(description.length).trim();
  const parts = [localize(sentence(description)), localSaid(addedTo(added), localize)];
  return parts.filter((part) => part !== '').join(' ');
}

function addedTo(text: string): Said {
  const [, choices, usual] = /^\((?:choices: (.*?))?(?:(?:, )?default: (.*))?\)$/.exec(text) ?? [];
  if (choices !== undefined) {
    return usual === undefined
      ? t`(choices: ${choices})`
      : t`(choices: ${choices}, default: ${usual})`;
  }
  return usual === undefined ? text : t`(default: ${usual})`;
}

/**
 * The options that a command's help shows, in this order, if all of them would not fit a screen. `--help
 * --all` shows the others. A command that is not listed here shows all.
 */
const MOST_USED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'order',
    [
      '--country',
      '--value',
      '--to',
      '--email',
      '--max-amount',
      '--yes',
      '--dry-run',
      '--idempotency-key',
      '--cart',
      '--coin',
    ],
  ],
  ['wizard', ['--country', '--brand', '--to', '--email', '--max-amount', '--resume', '--yes']],
  ['sandbox', ['--port', '--host', '--data', '--catalog', '--fault', '--clock']],
]);
