/** Refuses empty words on a command line: mostly a script's variable that is not set. */

import type { Command, Option } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Empty search text matches everything, so a script may pass an unset filter. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['--search']);

/** Refuses an empty argument or option. @throws {ScripError} INPUT_INVALID naming it */
export function refuseEmpty(command: Command): void {
  const empty = emptyArgument(command) ?? emptyOption(command);
  if (empty === undefined) return;
  throw new ScripError('INPUT_INVALID', t`${empty} is empty`, {
    hint: t`Give it a value; a script variable may be unset.`,
    details: { empty },
  });
}

function emptyArgument({ args, registeredArguments }: Command): string | undefined {
  const at = args.findIndex((word) => word.trim() === '');
  return at === -1 ? undefined : (registeredArguments[at] ?? registeredArguments.at(-1))?.name();
}

function emptyOption(command: Command): string | undefined {
  const own = command.options.find((option) => isEmpty(command, option));
  if (own !== undefined) return own.long;
  return command.parent === null ? undefined : emptyOption(command.parent);
}

function isEmpty(command: Command, option: Option): boolean {
  const name = option.attributeName();
  if (option.long === undefined || MAY_BE_EMPTY.has(option.long)) return false;
  return command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) === '';
}
