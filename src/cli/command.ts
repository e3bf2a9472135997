/** What a command is to the program: the file of its verb exports this. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { View } from './output/view.ts';

/** What a command does without. */
export interface Needs {
  /** It repairs the settings file, so it runs when that is unreadable or has no such profile. */
  readonly isProfileOptional: boolean;
}

/** Hands the work of a command to the program, which opens the context and prints the view. */
export type Bind = (work: (context: Context) => Promise<View>, needs?: Needs) => Promise<void>;

export interface CommandModule {
  /** Declares arguments, options and examples; turns strings into typed options. No I/O. */
  register(command: Command, bind: Bind): void;
}

/** The words that name a command, such as `wallet new`. */
export function pathOf(command: Command): string {
  const before = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return `${before}${command.name()}`;
}
