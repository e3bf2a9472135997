/** Receipt numbers, also of several servers on one PostgreSQL, and what they wait for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { verbatim } from '../../src/domain/message/message.ts';
import type { Claim } from '../../src/domain/payment/claim.ts';
import type { ShopRail } from '../../src/rails/merchant-rail.ts';
import { createBookkeeping, recordSales } from '../../src/shop/sales.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { bundleProgram } from '../support/bundle.ts';
import { ENGINES, emptyStore } from '../support/engines.ts';
import { manualClock } from '../support/manual-clock.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { GOODS } from '../support/sold-line.ts';
import { deliveryRow, partnerOrderRow } from '../support/store-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ORDERS = 12;

it('have no gap and no duplicate while three servers sell and one is killed within its write', async () => {
  const database = await createDatabase();
  await (await openPostgresStore(database.address)).close();
  const program = await bundleProgram('selling-process', tempFolder());
  const ended = ['one', 'two', 'three'].map(async (name, index) => {
    const dieAt = index === 2 ? ['5'] : [];
    const words = [program, database.address, name, String(ORDERS), ...dieAt];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
    const [code, signal] = await once(child, 'exit');
    return code ?? signal;
  });
  expect(await Promise.all(ended)).toEqual([0, 0, 'SIGKILL']);
  const store = await openPostgresStore(database.address);
  await recordSales(store);
  await store.close();
  const rows = await database.run('select receipt, order_id from sales order by receipt');
  const paid = await database.run(
    `select order_id from partner_orders where payment_state = 'PaymentReceived'`,
  );
  expect(rows.map(({ receipt }) => Number(receipt))).toEqual(paid.map((_, at) => at + 1));
  const ids = (of: typeof rows) => of.map(({ order_id: id }) => id).toSorted();
  expect(ids(rows)).toEqual(ids(paid));
  expect(paid).toHaveLength(2 * ORDERS + 5);
});

it.each(ENGINES)('wait for no order and no fee that cannot be read, on %s', async (engine) => {
  const { store, remove } = await emptyStore(engine);
  const clock = manualClock();
  const nowMs = clock.now();
  for (const [index, goods] of ['{}', GOODS, GOODS].entries()) {
    const orderId = `order ${index}`;
    const row = partnerOrderRow({
      ...{ orderId, pageId: orderId, walletAddress: orderId, closedAtMs: nowMs + index },
      ...{ orderState: 'Done', paymentState: 'PaymentReceived', nextLookAtMs: null },
    });
    const line = deliveryRow({ orderId, deliveryId: orderId, goods, state: 'completed' });
    await store.write(({ partnerOrders }) => partnerOrders.insert(row, [line]));
  }
  const ages = { unreadable: 25 * 3_600_000, shown: 3_600_000, late: 60_000 };
  for (const [messageHash, ageMs] of Object.entries(ages)) {
    const claim: Claim = {
      ...{ messageHash, transaction: messageHash, wire: '', validUntil: 1 },
      ...{ state: 'landed', reason: null, createdAtMs: nowMs - ageMs },
    };
    await store.write(({ claims }) => claims.claim(claim));
  }
  const asked: string[] = [];
  const rail = {
    network: 'of a test',
    async feeOf({ messageHash }: Claim) {
      asked.push(messageHash);
      if (messageHash === 'unreadable')
        throw new ScripError('CHAIN_UNREACHABLE', verbatim('a fee'));
      return messageHash === 'shown' ? 5_000n : undefined;
    },
  };
  // Safe: books ask a rail for nothing else.
  const books = createBookkeeping(store, { rails: [rail as unknown as ShopRail], clock });
  await expect(books.maintain()).rejects.toThrow(TypeError);
  const sold = await store.tables.sales.ofOrders(['order 0', 'order 1', 'order 2']);
  expect(sold.map(({ receipt, orderId }) => [receipt, orderId])).toEqual([
    [1, 'order 1'],
    [2, 'order 2'],
  ]);
  // A node that has not all of it is asked again in a minute, not in five seconds.
  await books.maintain().catch(() => undefined);
  expect(asked).toEqual(['unreadable', 'shown', 'late']);
  clock.advance(60_000);
  await books.maintain().catch(() => undefined);
  expect(asked.slice(3)).toEqual(['late']);
  await remove();
});
