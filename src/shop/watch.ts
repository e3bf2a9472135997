/** Payments that two nodes have to agree on. */

import { atomic } from '../domain/money.ts';
import { changedOrders, type PaymentWatch } from '../rails/payment-watch.ts';

/** What both have confirmed counts; what either has seen is seen. */
export function witnessedWatch(watch: PaymentWatch, witness: PaymentWatch): PaymentWatch {
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
