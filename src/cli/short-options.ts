/** One letter for the options that are typed most, wherever a command has the long one. */
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

/** Gives the options of a command, and of those below it, their letters. */
export function addShortOptions(command: Command): void {
  for (const option of command.options) {
    const short = SHORT_OPTIONS[option.long ?? ''];
    if (short === undefined) continue;
    option.short = short;
    option.flags = `${short}, ${option.flags}`;
  }
  command.commands.forEach(addShortOptions);
}

/** The flags of an option without its letter: `--country <code>`. */
export function longFlags(flags: string): string {
  return flags.replace(/^-\w, /, '');
}
