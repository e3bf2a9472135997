/** Wraps a store: after each committed write, reports the orders that got new events. */
import type { Store, Tables } from '../storage/store.ts';

export function notifyingStore(store: Store, notify: (orderIds: Iterable<string>) => void): Store {
  return {
    tables: store.tables,
    others: store.others,
    presence: store.presence,
    close: () => store.close(),
    snapshot: (work) => store.snapshot(work),
    async write(work) {
      const orderIds = new Set<string>();
      const result = await store.write((tables) => work(listening(tables, orderIds)));
      notify(orderIds);
      return result;
    },
  };
}

function listening(tables: Tables, orderIds: Set<string>): Tables {
  const append: Tables['orderEvents']['append'] = (event) => {
    orderIds.add(event.orderId);
    return tables.orderEvents.append(event);
  };
  return { ...tables, orderEvents: { ...tables.orderEvents, append } };
}
