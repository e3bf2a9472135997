/** Looks at orders whose network, clock or store does not play along. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import type { PaymentWatch } from '../../../src/rails/merchant-rail.ts';
import { atOnce, LAST_LOOK_MS } from '../../../src/service/partner/orders/progress.ts';
import { hearNews, lookDue, unchecked } from '../../../src/service/partner/orders/reconcile.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import type { PartnerOrderRow } from '../../../src/store/tables/partner-orders.ts';
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

/** Payments to the order are told; `told` is what the next news say. */
function telling(watch: PaymentWatch, told: () => readonly string[] = () => []): PaymentWatch {
  let marks = 0;
  const since = async () => {
    marks += 1;
    return { addresses: told(), mark: String(marks) };
  };
  return { ...watch, news: { covers: () => true, since } };
}
const hear = (watch: PaymentWatch) =>
  hearNews({
    ...{ store, watch, clock: { now: () => nowMs } },
    ...{ compliance: unchecked, setup: atOnce, report: (error) => faults.push(error) },
  });
const walletAddress = ROW.walletAddress ?? '';

it('an order that got nothing is looked at when its window ends, where payments are told', async () => {
  await look(telling(receiving(0n)));
  expect(await read()).toMatchObject({ nextLookAtMs: ROW.windowEndsAtMs });
  nowMs = ROW.windowEndsAtMs;
  await look(telling(receiving(0n)));
  nowMs += 3_000;
  await look(telling(receiving(0n)));
  expect(await read()).toMatchObject({ nextLookAtMs: ROW.windowEndsAtMs + LAST_LOOK_MS });
});

it('an order is due as soon as a payment is told', async () => {
  await look(telling(receiving(0n)));
  nowMs += 5_000;
  await hear(telling(receiving(100n), () => ['another', walletAddress]));
  await look(telling(receiving(100n)));
  expect(await read()).toMatchObject({ receivedAtomic: '100' });
});

it('an order is not put off by a look that failed, nor by money that is not confirmed', async () => {
  await look(telling(away));
  nowMs += 5_000;
  await look(telling(receiving(0n, 100n)));
  expect((await read()).nextLookAtMs).toBeLessThanOrEqual(nowMs + 3_000);
});

it('an order that is told of while it is looked at stays due', async () => {
  const late: PaymentWatch = {
    received: async (order) => {
      const before = await receiving(0n).received(order);
      nowMs += 10;
      await hear(telling(receiving(100n), () => [walletAddress]));
      return before;
    },
  };
  await look(telling(late));
  nowMs += 10;
  await look(telling(receiving(100n)));
  expect(await read()).toMatchObject({ receivedAtomic: '100' });
});

it('money that is told of after the end is looked at, and the end of the day once more', async () => {
  nowMs = END_MS;
  await look(telling(receiving(0n)));
  nowMs += 60_000;
  await look(telling(receiving(0n)));
  const { closedAtMs } = await read();
  expect(await read()).toMatchObject({ nextLookAtMs: (closedAtMs ?? 0) + 24 * 3_600_000 });
  nowMs += 3_600_000;
  await hear(telling(receiving(40n), () => [walletAddress]));
  await look(telling(receiving(40n)));
  expect(await read()).toMatchObject({ receivedAtomic: '40' });
});

it('news are asked for from where the last ones ended, and the same news wake nothing', async () => {
  await look(telling(receiving(0n)));
  const { nextLookAtMs } = await read();
  const asked: (string | undefined)[] = [];
  const answers = [
    { addresses: [], mark: 'one' },
    { addresses: [walletAddress], mark: 'one' },
    { addresses: [walletAddress], mark: 'two' },
  ];
  const since = async (mark: string | undefined) => {
    const answer = answers[asked.length] ?? { addresses: [], mark: 'none' };
    asked.push(mark);
    return answer;
  };
  const watch = { ...receiving(0n), news: { covers: () => true, since } };
  await hear(watch);
  await hear(watch);
  expect(await read()).toMatchObject({ nextLookAtMs });
  await hear(watch);
  expect(await read()).toMatchObject({ nextLookAtMs: nowMs });
  expect(asked).toEqual([undefined, 'one', 'one']);
});

it('where nothing tells of payments nothing is asked, and nothing is wrong', async () => {
  await hear(receiving(0n));
  expect(faults).toEqual([]);
});

it('news that cannot be had are a fault, and looks go on', async () => {
  const since = () => Promise.reject(new ScripError('CHAIN_UNREACHABLE', t`no news`));
  await hear({ ...receiving(0n), news: { covers: () => true, since } });
  expect(faults).toMatchObject([{ code: 'CHAIN_UNREACHABLE' }]);
});

it('balances that cannot be had are a fault, and the order waits on', async () => {
  nowMs = END_MS;
  const changed = () => Promise.reject(new ScripError('CHAIN_UNREACHABLE', t`no balances`));
  await look({ ...receiving(100n), changed });
  expect(faults).toMatchObject([{ code: 'CHAIN_UNREACHABLE' }]);
  expect(await read()).toMatchObject({ orderState: 'WaitingForPayment', receivedAtomic: '0' });
});

it('money that no transaction explains holds the order, and the operator is told', async () => {
  const unexplained: PaymentWatch = {
    received: async () => ({
      ...{ confirmedAtomic: atomic(0n), seenAtomic: atomic(100n), transactions: [] },
      unexplainedAtomic: atomic(100n),
    }),
  };
  await look(receiving(0n, 100n));
  nowMs += 600_000;
  await look(unexplained);
  expect(await read()).toMatchObject({
    ...{ orderState: 'WaitingForManualAction', receivedAtomic: '100' },
  });
  expect(faults.map(String).join()).toContain(`${walletAddress} holds 100 units`);
});
