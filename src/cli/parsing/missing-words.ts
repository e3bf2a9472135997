/** Reports all missing arguments and options at once; commander reports one at a time. */

import type { Command, CommanderError } from 'commander';
import { commandText, ownText, shellWord, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { longFlags } from '../command.ts';
import { parserMessage } from './parser-message.ts';

const MISSING: ReadonlySet<string> = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
]);

/** Undefined for other errors, and if only one thing is missing: commander's own message is good then. */
export function missingWords(
  cause: CommanderError,
  program: Command,
  positionals: readonly string[],
): ScripError | undefined {
  if (!MISSING.has(cause.code)) return undefined;
  const { command, path } = commandOf(program, positionals);
  const words = command.registeredArguments
    .filter(({ required }, at) => required && at >= command.args.length)
    .map((argument) => `<${argument.name()}>`);
  const options = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const missing = [...words, ...options.flatMap(({ long }) => long ?? [])];
  const message =
    missing.length > 1
      ? t`Not given: ${missing.join(', ')}`
      : parserMessage(cause.message.replace(/^error: /, ''));
  const count = command.registeredArguments.length;
  const [known, [stray, ...others]] = [command.args.slice(0, count), command.args.slice(count)];
  // A word too many is probably the value of the only option that is missing.
  const isMeant = stray !== undefined && others.length === 0 && options.length === 1;
  const asked = options.map(({ flags, long }) =>
    isMeant ? `${long} ${shellWord(stray)}` : longFlags(flags),
  );
  const line = [...words, ...asked].join(' ');
  return new ScripError('USAGE', message, {
    cause,
    hint: commandText`Such as: scrip ${wordList([...path, ...known], ' ')} ${ownText(line)}`,
    details: { missing },
  });
}

/** The deepest command that the words name. */
function commandOf(
  program: Command,
  [word, ...rest]: readonly string[],
  path: readonly string[] = [],
): { readonly command: Command; readonly path: readonly string[] } {
  const next = program.commands.find((child) => child.name() === word);
  if (next !== undefined) return commandOf(next, rest, [...path, next.name()]);
  return { command: program, path };
}
