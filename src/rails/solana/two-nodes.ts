/** Merges what two nodes of different operators report of a wallet: what either has seen counts. */
import { atomic } from '../../domain/money.ts';
import type { Outflow } from '../../domain/spend-log.ts';
import type { OwnHistory } from '../rail.ts';

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
