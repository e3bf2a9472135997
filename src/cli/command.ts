/** The interface of a command file. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { View } from './output/view.ts';

/** What a command can work without. */
export interface Needs {
  /**
   * Whether the command runs even if the settings file is unreadable or lacks the profile, because it repairs
   * that.
   */
  readonly isProfileOptional: boolean;
}

/** Passes the work of a command to the program, which opens the context and prints the view. */
export type Bind = (work: (context: Context) => Promise<View>, needs?: Needs) => Promise<void>;

export interface CommandModule {
  /** Declares arguments, options and examples; converts strings to typed options. No I/O. */
  register(command: Command, bind: Bind): void;
}

/** Returns the words that name a command, such as `wallet new`. */
export function pathOf(command: Command): string {
  const before = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return `${before}${command.name()}`;
}
