/** All that a command line lacks, where the parser would tell of it one after the other. */

import type { Command, CommanderError } from 'commander';
import { commandText, ownText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';

const MISSING: ReadonlySet<string> = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
]);

/** Undefined for another fault, and where one thing alone is missing: the parser tells that well. */
export function missingWords(
  cause: CommanderError,
  program: Command,
  positionals: readonly string[],
): ScripError | undefined {
  if (!MISSING.has(cause.code)) return undefined;
  const { command, path } = commandOf(program, positionals);
  const missing = [
    ...command.registeredArguments
      .filter(({ required }, at) => required && at >= command.args.length)
      .map((argument) => `<${argument.name()}>`),
    ...command.options
      .filter(
        (option) =>
          option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
      )
      .flatMap(({ long }) => long ?? []),
  ];
  if (missing.length < 2) return undefined;
  return new ScripError('USAGE', `not given: ${missing.join(', ')}`, {
    cause,
    hint: commandText`Examples: scrip ${ownText(path)} --help`,
    details: { missing },
  });
}

/** The command that the words name, as far as they name one. */
function commandOf(
  program: Command,
  [word, ...rest]: readonly string[],
  path: readonly string[] = [],
): { readonly command: Command; readonly path: string } {
  const next = program.commands.find((child) => child.name() === word);
  if (next !== undefined) return commandOf(next, rest, [...path, next.name()]);
  return { command: program, path: path.join(' ') };
}
