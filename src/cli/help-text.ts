/**
 * Prints `--help`: the first screen for the program; for a command its main options, then where to find the
 * others.
 */

import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { commandText, wordList } from '../domain/command-text.ts';
import { t } from '../domain/message.ts';
import { pathOf } from './command.ts';
import { examplesOf } from './examples.ts';
import { firstScreen } from './first-screen.ts';
import { withoutQuotes } from './i18n/help.ts';
import type { Localize } from './i18n/localize.ts';
import { MOST_USED } from './most-used.ts';
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
