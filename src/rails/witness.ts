/** What two nodes of different operators show, taken together. */

import { t } from '../domain/message/message.ts';
import { atomic } from '../domain/money/money.ts';
import type { Outflow } from '../domain/policy/spend-log.ts';
import type { OwnHistory, PaymentFate } from './rail.ts';

/**
 * Asks one node, and for a dead payment the other. Dead needs proof from both; landed on either node is
 * landed. A node that lies, lags or is down can only keep the fate open.
 */
export async function witnessedFate<Node>(
  { own, witness }: { readonly own: Node; readonly witness: Node | undefined },
  ask: (node: Node) => Promise<PaymentFate>,
): Promise<PaymentFate> {
  const first = await ask(own);
  if (first.fate !== 'dead' || witness === undefined) return first;
  const second = await ask(witness);
  if (second.fate === 'dead') {
    return { fate: 'dead', proof: t`${first.proof}; by a second RPC: ${second.proof}` };
  }
  if (second.fate === 'landed') return second;
  const what =
    second.fate === 'unknown' ? second.reason : t`it does not show the payment as confirmed yet`;
  return { fate: 'unknown', reason: t`The second RPC does not confirm it: ${what}` };
}

/** Merges outflows: each transaction once, with the larger amount and the later time. */
export function joinOutflows(told: readonly (readonly Outflow[])[]): readonly Outflow[] {
  const joined = new Map<string, Outflow>();
  for (const outflow of told.flat()) {
    const other = joined.get(outflow.transactionId);
    joined.set(outflow.transactionId, other === undefined ? outflow : stricter(outflow, other));
  }
  return [...joined.values()];
}

function stricter(one: Outflow, other: Outflow): Outflow {
  const amounts = [one, other].flatMap(({ amountAtomic }) => amountAtomic ?? []);
  return {
    transactionId: one.transactionId,
    signatures: [...new Set([...one.signatures, ...other.signatures])],
    amountAtomic:
      amounts.length === 0
        ? undefined
        : atomic(amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)),
    atMs: Math.max(one.atMs, other.atMs),
  };
}

/** Merges histories; the result is whole only if each node's is. */
export function joinHistories(told: readonly OwnHistory[]): OwnHistory {
  const payments = new Map(
    told.flatMap(({ payments: seen }) => seen).map((payment) => [payment.transactionId, payment]),
  );
  const gap = told.find(({ isWhole }) => !isWhole)?.gap;
  const [newest, ...others] = told.map((history) => history.newest);
  // If the nodes disagree, leave `newest` out: the next query starts over.
  const isSame = others.every((other) => other === newest);
  return {
    payments: [...payments.values()].toSorted((one, other) => other.slot - one.slot),
    isWhole: told.every(({ isWhole }) => isWhole),
    ...(gap === undefined ? {} : { gap }),
    ...(isSame && newest !== undefined ? { newest } : {}),
  };
}
