/** Prints `--help`: the first screen for the program; for a command its options, then examples. */

import { type Argument, Help, type HelpConfiguration, type Option } from 'commander';
import { type Said, sentence, t } from '../domain/message/message.ts';
import { examplesOf } from './command.ts';
import { firstScreen } from './first-screen.ts';
import { type Localize, localSaid } from './i18n/localize.ts';
import { itemLines, wrapWords } from './output/wrap.ts';

export function helpConfiguration(localize: Localize): HelpConfiguration {
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
      // Commander's own format, up to the part added below.
      const own = Help.prototype.formatHelp.call(helper, command, helper).trimEnd();
      const others = t`Options of every command, such as --json and --profile: scrip help options`;
      const shown = exampleLines(examplesOf(command), { localize, columns });
      return [own, '', ...shown, helper.boxWrap(localize(others), columns), ''].join('\n');
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
