/** The examples at the end of a command's help. */
import type { Command } from 'commander';

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Adds examples, each without the leading `scrip`. */
export function addExamples(command: Command, examples: readonly string[]): void {
  EXAMPLES.set(command, examples);
}

/** Returns the command's examples, without `scrip`; empty if it has none. */
export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}
