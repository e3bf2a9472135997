/** The help of commands in another language; names of commands, options and values stay. */
import { type Argument, Help, type HelpConfiguration, type Option } from 'commander';
import type { Tell } from './translate.ts';

/** For `configureHelp`: headings and descriptions are told. */
export function toldHelp(tell: Tell): HelpConfiguration {
  const usual = new Help();
  return {
    styleTitle: tell,
    commandDescription: (command) => tell(usual.commandDescription(command)),
    subcommandDescription: (command) => tell(usual.subcommandDescription(command)),
    optionDescription: (option) => described(option, usual.optionDescription(option), tell),
    argumentDescription: (argument) =>
      described(argument, usual.argumentDescription(argument), tell),
  };
}

/** The library adds choices and default to what an option is for. */
function described({ description }: Option | Argument, whole: string, tell: Tell): string {
  const added = whole.slice(description.length).trim();
  return [tell(description), tell(added)].filter((part) => part !== '').join(' ');
}
