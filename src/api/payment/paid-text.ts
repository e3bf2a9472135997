/** A payment that went through, as it is told when it is finished. */

import { type Message, t } from '../../domain/message.ts';

/** A payment of an earlier run took no time that means anything. */
const LONGEST_MS = 120_000;
const SHOWN = 4;

/** Such as `Paid 25.25 USDC  3Gh2…  0.6 s`. */
export function paidText({
  amount,
  transaction,
  tookMs,
}: {
  /** With its coin. */
  readonly amount: string;
  readonly transaction: string | undefined;
  /** From the signature on. */
  readonly tookMs: number;
}): Message {
  const name = transaction === undefined ? '' : `  ${transaction.slice(0, SHOWN)}…`;
  const isTold = tookMs >= 0 && tookMs < LONGEST_MS;
  return t`Paid ${amount}${name}${isTold ? `  ${(tookMs / 1_000).toFixed(1)} s` : ''}`;
}
