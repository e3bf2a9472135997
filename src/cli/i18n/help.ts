/** The help of commands in another language; names of commands, options and values stay. */
import { type Argument, Help, type HelpConfiguration, type Option } from 'commander';
import { type Said, sentence, t } from '../../domain/message.ts';
import { type Localize, localSaid } from './localize.ts';

/** For `configureHelp`: headings and descriptions are localized. They are ours, and texts to the library. */
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

/** What the library itself writes above its lists. */
const TITLES = [t`Usage:`, t`Arguments:`, t`Options:`, t`Global Options:`, t`Commands:`];

/** The library adds choices and default to what an option is for. */
function described({ description }: Option | Argument, whole: string, localize: Localize): string {
  const added = whole.slice(description.length).trim();
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
