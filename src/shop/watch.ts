/** Payments that two nodes have to agree on. */

import { USDC_MINT } from '../contract/x402.ts';
import { atomic } from '../domain/money.ts';
import { changedOrders, type PaymentWatch } from '../rails/payment-watch.ts';
import { createSolanaWatch, type WatchOptions } from '../rails/solana/watch.ts';
import type { Nodes } from './chain-checks.ts';

/** The watch of a shop: over its node, and over the second one if there is any. */
export function openWatch(
  { rpc, witness }: Nodes,
  options: Pick<WatchOptions, 'finalFromAtomic' | 'since'>,
): PaymentWatch {
  const watchAt = (node: Nodes['rpc']) =>
    createSolanaWatch({ ...options, rpc: node, mints: { USDC: USDC_MINT } });
  return witness === undefined ? watchAt(rpc) : witnessedWatch(watchAt(rpc), watchAt(witness));
}

/** What both have confirmed counts; what either has seen is seen. */
function witnessedWatch(watch: PaymentWatch, witness: PaymentWatch): PaymentWatch {
  return {
    changed: async (orders) => {
      const found = await Promise.all([watch, witness].map((one) => changedOrders(one, orders)));
      return new Set(found.flatMap((ids) => [...ids]));
    },
    received: async (order) => {
      const [one, other] = await Promise.all([watch.received(order), witness.received(order)]);
      const isLess = other.confirmedAtomic < one.confirmedAtomic;
      const seenAtomic = one.seenAtomic > other.seenAtomic ? one.seenAtomic : other.seenAtomic;
      return { ...(isLess ? other : one), seenAtomic: atomic(seenAtomic) };
    },
  };
}
