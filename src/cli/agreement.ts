/** An order that nobody can be asked about. */
import { ScripError } from '../domain/errors.ts';
import type { Context } from './context.ts';

/** Names the flags that stand for an answer, and why there can be no question. */
export function unasked(
  { isInputTerminal }: Pick<Context, 'isInputTerminal'>,
  missing: readonly string[],
): ScripError {
  const flags = missing.join(' and ');
  const where = isInputTerminal ? 'with --no-input' : 'off a terminal';
  return new ScripError(
    'TERMINAL_REQUIRED',
    `${where} an order needs ${flags}: nobody can be asked`,
    { hint: `Add ${flags}.`, details: { missing } },
  );
}
