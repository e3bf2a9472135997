/** One-letter forms of the most typed options, for every command that has the option. */
import type { Command } from 'commander';

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
