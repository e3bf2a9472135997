/**
 * A process of its own: `selling-process <address> <name> <orders> [<die at>]` pays orders of a shop on PostgreSQL and
 * records each as sold; it kills itself inside the write that would commit its receipt of this number.
 */
import { recordSales } from '../../src/shop/sales.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { GOODS } from './sold-line.ts';
import { deliveryRow, partnerOrderRow } from './store-suite.ts';

const [address = '', name = '', orders = '0', dieAt = ''] = process.argv.slice(2);
const store = await openPostgresStore(address);
const { tables } = store;

for (let at = 1; at <= Number(orders); at += 1) {
  const orderId = `${name} ${at}`;
  const row = partnerOrderRow({
    ...{ orderId, pageId: orderId, walletAddress: orderId, closedAtMs: Date.now() },
    ...{ orderState: 'Done', paymentState: 'PaymentReceived', nextLookAtMs: null },
  });
  const line = deliveryRow({ orderId, deliveryId: orderId, goods: GOODS, state: 'completed' });
  await store.write(({ partnerOrders }) => partnerOrders.insert(row, [line]));
  const write: typeof store.write = (work) =>
    store.write(async (rows) => {
      const result = await work(rows);
      if (String(at) === dieAt) process.kill(process.pid, 'SIGKILL');
      return result;
    });
  await recordSales({ ...store, tables, write });
}
await store.close();
