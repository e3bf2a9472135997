/** Examples at the end of a command's help. */
import type { Command } from 'commander';

/** Each example is what follows `scrip`. */
export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((example) => `  $ scrip ${example}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
