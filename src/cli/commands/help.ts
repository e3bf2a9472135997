/** `scrip help`: the help of a command; topics are told before the command line is parsed. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';

export function register(command: Command): void {
  command
    .argument('[command...]', 'words of a command, such as wallet new; or a topic')
    .option('--all', 'every option and every example')
    .action((words: readonly string[]) => helpOf(command, words).outputHelp());
  addExamples(command, ['help order', 'help wallet new', 'help money', 'help all']);
}

/** As far as the words name one: the program has refused those that name nothing. */
function helpOf(command: Command, words: readonly string[]): Command {
  return words.reduce<Command>(
    (found, word) => found.commands.find((child) => child.name() === word) ?? found,
    command.parent ?? command,
  );
}
