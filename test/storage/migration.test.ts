/** A database of an older program is carried on, with what is in it. */
import { expect, it } from 'vitest';
import type { SettlementRow } from '../../src/storage/checkout-orders.ts';
import { STEPS } from '../../src/storage/schema.ts';
import { deliveriesIn } from '../../src/storage/sql/deliveries.ts';
import { ordersIn } from '../../src/storage/sql/orders.ts';
import { settlementsIn } from '../../src/storage/sql/settlements.ts';
import { connect } from '../../src/storage/sqlite-driver.ts';
import { orderRow, settlementRow } from '../support/store-suite.ts';

it('the second version keeps deliveries, and takes those of partner orders', async () => {
  const { db } = await connect(':memory:');
  const [first, second] = STEPS;
  await first?.(db, { bytes: 'blob' });
  const delivery = {
    deliveryId: 'delivery-1',
    orderId: 'order-1',
    line: 0,
    beneficiary: 'ann@example.com',
    goods: '{}',
    state: 'pending',
    attempts: 3,
    nextAttemptAtMs: 5,
    voucher: Uint8Array.of(1, 2),
    failureReason: null,
  } as const;
  await ordersIn(db).insert(orderRow(), [delivery]);
  await second?.(db, { bytes: 'blob' });
  const deliveries = deliveriesIn(db);
  expect(await deliveries.ofOrder('order-1')).toEqual([delivery]);
  expect(await deliveries.due(5, 10)).toEqual([delivery]);
  const stray = { ...delivery, deliveryId: 'delivery-2', orderId: 'another surface' };
  await db.insertInto('deliveries').values(stray).execute();
  const twin = { ...stray, deliveryId: 'delivery-3' };
  await expect(db.insertInto('deliveries').values(twin).execute()).rejects.toMatchObject({
    code: 'RECORD_EXISTS',
  });
  await db.destroy();
});

it('the fifth version keeps settlements, which have no name', async () => {
  const { db } = await connect(':memory:');
  for (const step of STEPS.slice(0, 4)) await step(db, { bytes: 'blob' });
  const { paymentId: _none, ...before } = settlementRow();
  // As the fourth version wrote it: the column is not there.
  await db
    .insertInto('settlements')
    .values({ ...before } as SettlementRow)
    .execute();
  await STEPS[4]?.(db, { bytes: 'blob' });
  const settlements = settlementsIn(db);
  expect(await settlements.bySession(before.sessionId)).toEqual({ ...before, paymentId: null });
  await settlements.insert(settlementRow({ messageHash: 'm', sessionId: 's', orderId: 'o' }));
  await db.destroy();
});
