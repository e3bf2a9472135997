/** The progress text for a completed payment. */

import { type Message, t } from '../../domain/message.ts';

/** Above this, the payment is from an earlier run, and its duration means nothing. */
const LONGEST_MS = 120_000;
const SHOWN = 4;

/** Returns a text such as `Paid 25.25 USDC  3Gh2…  0.6 s`. */
export function paidText({
  amount,
  transaction,
  tookMs,
}: {
  /** With its coin. */
  readonly amount: string;
  readonly transaction: string | undefined;
  /** Time since the signature. */
  readonly tookMs: number;
}): Message {
  const name = transaction === undefined ? '' : `  ${transaction.slice(0, SHOWN)}…`;
  const isTold = tookMs >= 0 && tookMs < LONGEST_MS;
  return t`Paid ${amount}${name}${isTold ? `  ${(tookMs / 1_000).toFixed(1)} s` : ''}`;
}
