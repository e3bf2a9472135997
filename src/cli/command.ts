/** What a command file declares: its interface, examples, short options. */

import { type Command, Option } from 'commander';
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

/** Returns the whole program. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Adds examples, each without the leading `scrip`. */
export function addExamples(command: Command, examples: readonly string[]): void {
  EXAMPLES.set(command, examples);
}

/** Returns the command's examples, without `scrip`; of a group without any, the first of each subcommand. */
export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? command.commands.flatMap((one) => examplesOf(one).slice(0, 1));
}

/** A closed set of values, and the default. */
interface Choice {
  readonly what: string;
  readonly choices: readonly string[];
  readonly usual?: string;
}

/** Options by their flags: the description, the description and the default, or a choice. */
type OptionTable = Readonly<
  Record<string, string | readonly [what: string, usual: string] | Choice>
>;

/** Adds the options; `FlagsOf` is the type of their values. */
export function addOptions(command: Command, table: OptionTable): Command {
  for (const [flags, told] of Object.entries(table)) {
    if (typeof told === 'string') command.option(flags, told);
    else if ('choices' in told) {
      const { what, choices, usual } = told;
      command.addOption(new Option(flags, what).choices(choices).default(usual));
    } else command.option(flags, ...told);
  }
  return command;
}

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** `--max-amount <amount>` and `--no-wait` as `maxAmount` and `wait`. */
type FlagName<Flags extends string> = Flags extends `--no-${infer Name}`
  ? Camel<Name>
  : Flags extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flags extends `--${infer Name}`
      ? Camel<Name>
      : never;

/** A flag with a default, and the contrary of one with `--no-`, always has a value. */
type FlagValue<Flags extends string, Told> = Flags extends `--no-${string}`
  ? boolean
  : Told extends { readonly choices: readonly (infer Value)[] }
    ? Value | (Told extends { readonly usual: string } ? never : undefined)
    : Told extends readonly unknown[]
      ? string
      : (Flags extends `${string} <${string}` ? string : boolean) | undefined;

/** What commander reads of options. */
export type FlagsOf<Table extends OptionTable> = {
  readonly [Flags in keyof Table & string as FlagName<Flags>]: FlagValue<Flags, Table[Flags]>;
};

/**
 * Ours: `-q` is the quantity, since no command has a quiet mode; `-v` is the face value, and `-V` the
 * version, as in curl.
 */
export const SHORT_OPTIONS: Readonly<Record<string, string>> = {
  '--country': '-c',
  '--value': '-v',
  '--yes': '-y',
  '--quantity': '-q',
};

/** Adds the short forms to a command and its subcommands. */
export function addShortOptions(command: Command): void {
  for (const option of command.options) {
    const short = SHORT_OPTIONS[option.long ?? ''];
    if (short === undefined) continue;
    option.short = short;
    option.flags = `${short}, ${option.flags}`;
  }
  command.commands.forEach(addShortOptions);
}

/** Returns an option's flags without the short form: `--country <code>`. */
export function longFlags(flags: string): string {
  return flags.replace(/^-\w, /, '');
}
