/** Prints `--help`: the first screen for the program; for a command its options, then examples. */

import { type Argument, Help, type HelpConfiguration, type Option } from 'commander';
import { type Message, sentence, t } from '../domain/message/message.ts';
import { examplesOf } from './command.ts';
import { firstScreen } from './first-screen.ts';
import type { Localize } from './i18n/localize.ts';
import { itemLines, wrapWords } from './output/wrap.ts';

export function helpConfiguration(localize: Localize): HelpConfiguration {
  return {
    styleTitle: (title) => localize(TITLES.find((one) => String(one) === title) ?? sentence(title)),
    commandDescription: (command) => localize(sentence(command.description())),
    subcommandDescription: (command) => localize(sentence(command.description())),
    optionDescription: (option) => described(option, localize),
    argumentDescription: (argument) => described(argument, localize),
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

/** Headings that commander prints. */
const TITLES = [t`Usage:`, t`Arguments:`, t`Options:`, t`Global Options:`, t`Commands:`];

/** The description with choices and default, without commander's quotes. */
function described(
  { description, argChoices, defaultValue: usual }: Option | Argument,
  localize: Localize,
): string {
  const choices = argChoices?.join(', ');
  const parts = [
    sentence(description),
    ...addedTo(choices, typeof usual === 'string' ? usual : undefined),
  ];
  return parts
    .map(localize)
    .filter((part) => part !== '')
    .join(' ');
}

function addedTo(choices: string | undefined, usual: string | undefined): readonly Message[] {
  if (choices === undefined) return usual === undefined ? [] : [t`(default: ${usual})`];
  return [
    usual === undefined ? t`(choices: ${choices})` : t`(choices: ${choices}, default: ${usual})`,
  ];
}
