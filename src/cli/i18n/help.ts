/** Translates help texts; names of commands, options and values stay. */
import { type Argument, Help, type HelpConfiguration, type Option } from 'commander';
import { type Said, sentence, t } from '../../domain/message.ts';
import { type Localize, localSaid } from './localize.ts';

/** Returns the configuration for commander's `configureHelp`, with translated headings and descriptions. */
export function localHelp(localize: Localize): HelpConfiguration {
  const usual = new Help();
  const said = (text: string): string => localize(sentence(text));
  return {
    styleTitle: (title) => localize(TITLES.find((one) => String(one) === title) ?? sentence(title)),
    commandDescription: (command) => said(usual.commandDescription(command)),
    subcommandDescription: (command) => said(usual.subcommandDescription(command)),
    optionDescription: (option) => described(option, usual.optionDescription(option), localize),
    argumentDescription: (argument) =>
      described(argument, usual.argumentDescription(argument), localize),
  };
}

/** Commander quotes the choices and the default that it appends. */
export function withoutQuotes(description: string, whole: string): string {
  return description + whole.slice(description.length).replaceAll('"', '');
}

/** Headings that commander prints. */
const TITLES = [t`Usage:`, t`Arguments:`, t`Options:`, t`Global Options:`, t`Commands:`];

/** Translates a description, and the choices and default that commander appends to it. */
function described({ description }: Option | Argument, whole: string, localize: Localize): string {
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
