/** Payments that two nodes have to agree on. */

import { USDC_MINT } from '../contract/x402.ts';
import { atomic } from '../domain/money.ts';
import { changedOrders, type PaymentWatch } from '../rails/merchant-rail.ts';
import type { CreditMemory } from '../rails/solana/credits.ts';
import { createSolanaWatch, type WatchOptions } from '../rails/solana/watch.ts';
import type { Store } from '../store/store.ts';
import { SINGLE } from '../store/writes.ts';
import type { Nodes } from './chain-checks.ts';

/** The watch of a shop: over its node, and over the second one if there is any; long histories are kept on record. */
export function openWatch(
  { rpc, witness }: Nodes,
  {
    store,
    ...options
  }: Pick<WatchOptions, 'finalFromAtomic' | 'since'> & {
    readonly store: Pick<Store, 'tables' | 'write'>;
  },
): PaymentWatch {
  const watchAt = (node: Nodes['rpc'], name: string) => {
    const memory: CreditMemory = {
      get: (account) => store.tables.facts.get(`credits ${name} ${account}`),
      set: (account, value) =>
        store.write(({ facts }) => facts.set(`credits ${name} ${account}`, value), SINGLE),
    };
    return createSolanaWatch({ ...options, memory, rpc: node, mints: { USDC: USDC_MINT } });
  };
  const own = watchAt(rpc, 'own');
  return witness === undefined ? own : witnessedWatch(own, watchAt(witness, 'witness'));
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
