/** Wraps a store: after each committed write, reports the orders that got new events. */

import type { Store } from '../store/store.ts';
import { noteChanges } from '../store/tables/order-events.ts';

export function notifyingStore(store: Store, notify: (orderIds: Iterable<string>) => void): Store {
  return {
    tables: store.tables,
    others: store.others,
    presence: store.presence,
    close: () => store.close(),
    snapshot: (work) => store.snapshot(work),
    async write(work, options) {
      const orderIds = new Set<string>();
      const result = await store.write((tables) => work(noteChanges(tables, orderIds)), options);
      notify(orderIds);
      return result;
    },
  };
}
