/** Looks at orders whose network, clock or store does not play along. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScripError } from '../../../src/domain/errors.ts';
import { t } from '../../../src/domain/message.ts';
import { atomic } from '../../../src/domain/money.ts';
import type { PaymentWatch } from '../../../src/rails/payment-watch.ts';
import { LAST_LOOK_MS } from '../../../src/service/partner/progress.ts';
import { lookDue, unchecked } from '../../../src/service/partner/reconcile.ts';
import { atOnce } from '../../../src/service/partner/setup.ts';
import type { PartnerOrderRow } from '../../../src/storage/partner-orders.ts';
import { openSqliteStore } from '../../../src/storage/sqlite.ts';
import type { Store } from '../../../src/storage/store.ts';
import { partnerOrderRow } from '../../support/store-suite.ts';

const ROW = partnerOrderRow({ coinAmountAtomic: '100' });
const END_MS = ROW.windowEndsAtMs + 3 * LAST_LOOK_MS;

let store: Store;
let nowMs: number;
let faults: unknown[];
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  nowMs = ROW.createdAtMs;
  faults = [];
  await store.tables.partnerOrders.insert(ROW, []);
});
afterEach(() => store.close());

const receiving = (confirmed: bigint, seen = confirmed): PaymentWatch => ({
  received: async () => ({
    confirmedAtomic: atomic(confirmed),
    seenAtomic: atomic(seen),
    transactions: confirmed > 0n ? [`tx-${confirmed}`] : [],
  }),
});
const away: PaymentWatch = {
  received: async () => {
    throw new ScripError('CHAIN_UNREACHABLE', t`no answer`);
  },
};
const look = (watch: PaymentWatch) =>
  lookDue(
    {
      store,
      watch,
      clock: { now: () => nowMs },
      compliance: unchecked,
      setup: atOnce,
      report: (error) => faults.push(error),
    },
    10,
  );
const read = async (): Promise<Partial<PartnerOrderRow>> =>
  (await store.tables.partnerOrders.byId(ROW.orderId)) ?? {};

it('an order does not expire while its network cannot be asked', async () => {
  nowMs = END_MS;
  await look(away);
  expect(await read()).toMatchObject({ orderState: 'WaitingForPayment' });
  expect(faults).toMatchObject([{ code: 'CHAIN_UNREACHABLE' }]);
  nowMs += 60_000;
  await look(receiving(100n));
  // Without goods there is nothing to wait for: paid, and done.
  expect(await read()).toMatchObject({ orderState: 'Done', receivedAtomic: '100' });
});

it('an order that nobody looked at in its window is still paid by what came in it', async () => {
  nowMs = END_MS;
  await look(receiving(100n));
  expect(await read()).toMatchObject({ paymentState: 'PaymentReceived' });
});

it('what was confirmed once is not taken back by a node that lags behind', async () => {
  await look(receiving(40n));
  nowMs += 10_000;
  await look(receiving(0n));
  expect(await read()).toMatchObject({
    paymentState: 'PartialPaymentStarted',
    receivedAtomic: '40',
    transactions: '["tx-40"]',
  });
});

it('a payment that is under way at the end of the window gets a second term', async () => {
  await look(receiving(0n, 100n));
  nowMs = ROW.windowEndsAtMs + LAST_LOOK_MS;
  await look(receiving(0n, 100n));
  expect(await read()).toMatchObject({
    orderState: 'PaymentStarted',
    paymentState: 'WaitingForExpiryAfterPaymentDetection',
  });
  nowMs += 30_000;
  await look(receiving(100n));
  expect(await read()).toMatchObject({ paymentState: 'PaymentReceived' });
});

it('a look that finds nothing new leaves no event behind', async () => {
  for (let round = 0; round < 3; round += 1) {
    await look(receiving(40n));
    nowMs += 10_000;
  }
  expect(await store.tables.orderEvents.latestSeq(ROW.orderId)).toBe(1);
});

it('an address is watched for a day after the end, and then no more', async () => {
  nowMs = END_MS;
  await look(receiving(0n));
  expect(await read()).toMatchObject({ orderState: 'Expired' });
  nowMs += 25 * 3_600_000;
  await look(receiving(0n));
  expect(await read()).toMatchObject({ nextLookAtMs: null });
});
