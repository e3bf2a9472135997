/** Who can be asked about an order, and what they are shown of it. */
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';

/** Names the flags that stand for an answer, and why there can be no question. */
export function unasked(
  { isInputTerminal, stderr }: Pick<Context, 'isInputTerminal' | 'stderr'>,
  missing: readonly string[],
): ScripError {
  const flags = missing.join(' and ');
  // A question is written to standard error.
  const where = isInputTerminal && stderr.isTerminal ? 'with --no-input' : 'off a terminal';
  return new ScripError(
    'TERMINAL_REQUIRED',
    `${where} an order needs ${flags}: nobody can be asked`,
    { hint: commandText`Add ${wordList(missing, ' and ')}.`, details: { missing } },
  );
}

/** Whoever is asked has seen what for, in JSON too; there stderr is silent for those who agreed before. */
export function isSummaryTold({ settings }: Pick<Context, 'settings'>, isAgreed: boolean): boolean {
  return settings.mayPrompt && !(settings.isJson && isAgreed);
}
