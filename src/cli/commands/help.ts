/** `scrip help`: the help of a command. The program prints topics earlier, before it parses the words. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';

export function register(command: Command): void {
  command
    .argument('[command...]', 'words of a command, such as wallet new; or a topic')
    .option('--all', 'every option and every example')
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
