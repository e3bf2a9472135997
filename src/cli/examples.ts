/** Examples at the end of a command's help. */
import type { Command } from 'commander';

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Each example is what follows `scrip`. */
export function addExamples(command: Command, examples: readonly string[]): void {
  EXAMPLES.set(command, examples);
}

/** The examples of a command, without `scrip`; none where it has none of its own. */
export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}
