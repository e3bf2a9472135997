/** What a shop holds of persons: which orders still need them, what stays, and that nothing happens twice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentRequirement } from '../../src/contract/x402.ts';
import type { PersonAdmin } from '../../src/domain/operator/operator.ts';
import { claim } from '../../src/service/checkout/claim.ts';
import type { Payment } from '../../src/service/checkout/payment-header.ts';
import { createVoucherVault } from '../../src/service/delivery/vouchers.ts';
import { createPersonAdmin, createRetention } from '../../src/service/operator/persons.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import type { Store, Tables } from '../../src/store/store.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { orderBody, type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';
import { random } from '../support/random.ts';
import { GOODS } from '../support/sold-line.ts';
import {
  deliveryRow,
  orderRow,
  partnerOrderRow,
  refundRow,
  sessionRow,
  settlementRow,
  webhookRow,
} from '../support/store-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ANN = 'ann@example.com';
const KEY = new Uint8Array(32);
const DAY_MS = 86_400_000;
const REQUEST = '{"payment":{"type":"via"},"user":{"email":"ann@example.com"}}';
const { orderId: OF_PARTNER } = partnerOrderRow();

const adminOf = (store: Store, clock: Pick<ManualClock, 'now'>): PersonAdmin =>
  createPersonAdmin({ store, clock, key: KEY, vault: createVoucherVault(KEY, random) });

describe.each(ENGINES)('a person of a shop on %s', (engine) => {
  let opened: EmptyStore;
  let store: Store;
  let clock: ManualClock;
  let persons: PersonAdmin;
  beforeEach(async () => {
    opened = await emptyStore(engine);
    store = opened.store;
    clock = manualClock();
    persons = adminOf(store, clock);
    return () => opened.remove();
  });

  /** One ended order of each surface, for ann. */
  const sell = (more: { readonly beneficiary?: string } = {}) =>
    store.write(async (tables) => {
      const line = { goods: GOODS, state: 'completed', ...more } as const;
      const own = { orderId: OF_PARTNER, deliveryId: 'delivery-2' };
      const done = { orderState: 'Done', paymentState: 'PaymentReceived' } as const;
      const row = { ...done, nextLookAtMs: null, request: REQUEST };
      await tables.partnerOrders.insert(partnerOrderRow(row), [deliveryRow({ ...line, ...own })]);
      await tables.sessions.insert(sessionRow({ body: `{"email":"${ANN}"}` }));
      await tables.settlements.insert(settlementRow({ state: 'settled' }));
      await tables.orders.insert(orderRow({ status: 'completed' }), [deliveryRow(line)]);
    });

  const NEEDS: readonly [string, readonly string[], (tables: Tables) => Promise<unknown>][] = [
    [
      'a line that is not delivered',
      ['delivery'],
      ({ deliveries }) =>
        deliveries.update(deliveryRow(), { ...deliveryRow(), state: 'pending', attempts: 1 }),
    ],
    ['a refund that waits', ['refund'], ({ refunds }) => refunds.record(refundRow())],
    [
      'a webhook that is tried',
      ['webhook'],
      ({ outbox }) => outbox.insert(webhookRow({ orderId: 'order-1' })),
    ],
    ['an order under way', ['order'], ({ orders }) => orders.setStatus('order-1', 'processing', 1)],
  ];
  it.each(NEEDS)('is kept for %s, and erased after it', async (_what, needed, begin) => {
    await sell();
    await store.write(begin);
    const first = await persons.erase(ANN);
    expect(first.erased_orders).toEqual([OF_PARTNER]);
    expect(first.kept).toEqual([{ order_id: 'order-1', needed_for: needed }]);
    expect((await store.tables.orders.byId('order-1'))?.email).toBe(ANN);
    await store.write(async ({ deliveries, payouts, outbox, orders }) => {
      const [line = deliveryRow()] = await deliveries.ofOrder('order-1');
      const { attempts } = line;
      await deliveries.update(line, { ...line, state: 'completed', attempts: attempts + 1 });
      const [payout] = await payouts.ofOrder('order-1');
      if (payout) await payouts.update(payout, { state: 'sent', nextAtMs: null });
      const [hook] = await outbox.ofOrder('order-1');
      if (hook) await outbox.update(hook, { ...hook, state: 'dead' });
      await orders.setStatus('order-1', 'completed', 2);
    });
    expect(await persons.erase(first.digest)).toMatchObject({
      erased_orders: ['order-1'],
      kept: [],
    });
    expect((await persons.export(ANN, false)).records.orders).toEqual([]);
  });

  it('is kept while late money is looked for, and taken out of offers, which take no payment then', async () => {
    await store.write(async ({ partnerOrders, sessions }) => {
      const expired = { orderState: 'Expired', paymentState: 'Expired' } as const;
      const unpaid = deliveryRow({ orderId: OF_PARTNER, state: 'waiting' });
      await partnerOrders.insert(partnerOrderRow({ ...expired, nextLookAtMs: 9 }), [unpaid]);
      await sessions.insert(sessionRow({ body: `{"email":"${ANN}"}` }));
    });
    const erased = await persons.erase(ANN);
    expect(erased).toMatchObject({ erased_offers: 1, erased_orders: [] });
    expect(erased.kept).toEqual([{ order_id: OF_PARTNER, needed_for: ['order'] }]);
    const session = await store.tables.sessions.byId('session-1');
    expect([session?.body, session?.bodyHash]).toEqual(['{}', 'erased']);
    // One that was read before takes none either.
    const facts = { messageHash: 'hash-1', payer: 'payer', source: 'source', payload: {} };
    const payment = { facts, paymentId: null, sessionIds: [] } as unknown as Payment;
    const requirement = { network: 'solana' } as PaymentRequirement;
    const checkout = { store, clock, random } as unknown as Parameters<typeof claim>[0];
    const payable = { session: sessionRow(), payment, requirement };
    const refused = await claim(checkout, { email: ANN, items: [] }, payable);
    expect(refused).toMatchObject({ refusal: 'session_unknown' });
  });

  it('who received from others is taken out of their orders, which keep their buyer', async () => {
    await sell({ beneficiary: 'Bob@example.com' });
    const given = await persons.export('bob@example.com', true);
    expect(JSON.stringify(given)).not.toMatch(/order-1|ann@/);
    expect(given.records.received).toHaveLength(2);
    expect((await persons.erase('bob@example.com')).erased_as_recipient).toHaveLength(2);
    const lines = await store.tables.deliveries.ofOrder('order-1');
    expect([lines[0]?.beneficiary, (await persons.find(ANN)).orders]).toEqual(['erased', 2]);
    // Who has paid is answered again.
    const session = await store.tables.sessions.byId('session-1');
    expect([session?.body, session?.bodyHash]).toEqual(['{}', sessionRow().bodyHash]);
  });

  it('leaves ended orders after the days of the configuration, by one server, unless they are needed', async () => {
    await sell();
    await store.write(({ sessions }) =>
      sessions.insert(sessionRow({ sessionId: 'unpaid', destination: 'other' })),
    );
    const retain = (ordersDays: number | undefined) =>
      createRetention({ store, clock }, { ordersDays, offersDays: 30 })();
    const left = async () => [
      (await store.tables.orders.byId('order-1'))?.email,
      (await store.tables.partnerOrders.byId(OF_PARTNER))?.email,
      (await store.tables.sessions.byId('unpaid'))?.body,
    ];
    clock.advance(sessionRow().createdAtMs + 31 * DAY_MS - clock.now());
    await retain(40);
    expect(await left()).toEqual([ANN, ANN, '{}']);
    clock.advance(10 * DAY_MS);
    await retain(undefined);
    await retain(40);
    expect(await left()).toEqual([ANN, ANN, '{}']);
    clock.advance(DAY_MS);
    // The others do not wait for one that cannot be read.
    const broken = { orderId: 'broken', pageId: 'broken', walletAddress: 'broken', request: '{' };
    const done = { orderState: 'Done', paymentState: 'PaymentReceived' } as const;
    const row = partnerOrderRow({ ...broken, ...done, nextLookAtMs: null, createdAtMs: 1 });
    await store.write(({ partnerOrders }) => partnerOrders.insert(row, []));
    await store.write(({ refunds }) => refunds.record(refundRow()));
    await expect(retain(40)).rejects.toThrow(SyntaxError);
    expect(await left()).toEqual([ANN, 'erased', '{}']);
  });
});

describe('an order without its person', async () => {
  const host: PartnerSandbox = await partnerSandbox();
  afterAll(host.close);

  it('is answered by its id, makes no other by its key, and takes and gives no money again', async () => {
    const key = { 'Idempotency-Key': 'quillfeather-0123456789-0123456789-0123456789' };
    const order = await host.create({}, key);
    const { order_id: id, wallet_address: address = '' } = order;
    await host.transfer(address, 25_250_000n);
    for (let times = 0; times < 20; times += 1) await host.pass(5_000);
    expect(await host.read(id)).toMatchObject({ order_state: 'Done', user: {} });
    const { store } = host.current();
    const erased = await adminOf(store, host.clock).erase('buyer@example.com');
    expect(erased).toMatchObject({ erased_orders: [id], kept: [] });
    const before = await host.read(id);
    expect(before).toMatchObject({
      order_state: 'Done',
      payment_transactions: [expect.any(String)],
    });
    expect(JSON.stringify(before)).not.toMatch(/"user":|pin_code|@example\.com|quill/);
    const body = { user: { email: 'buyer@example.com' } };
    const again = await host.post('/v5/orders', orderBody(body), key);
    expect(await again.json()).toMatchObject({ detail: 'IDEMPOTENCY_KEY_REUSED' });
    await host.transfer(address, 25_250_000n);
    for (let times = 0; times < 20; times += 1) await host.pass(60_000);
    expect(await host.read(id)).toEqual(before);
    expect(await store.tables.refunds.ofOrder(id)).toEqual([]);
    const row = await store.tables.partnerOrders.byId(id);
    expect(JSON.stringify(row)).not.toMatch(/quill|@example\.com/);
  });
});

it('names every column of text or bytes in the documentation, once', async () => {
  const path = join(tempFolder(), 'shop.db');
  await (await openSqliteStore(path)).close();
  const { run, close } = await connect(path);
  const columns = await run(
    `select m.name as name, p.name as "column" from sqlite_schema as m
     join pragma_table_info(m.name) as p where m.type = 'table' and p.type in ('TEXT', 'BLOB')`,
  );
  await close();
  const page = readFileSync(join(import.meta.dirname, '../../docs/operate/persons.md'), 'utf8');
  const named = [...page.matchAll(/^\| `(\w+)` \| ((?:`\w+` ?)+)\|/gm)].flatMap(
    ([, table, list = '']) => [...list.matchAll(/\w+/g)].map(([column]) => `${table}.${column}`),
  );
  const known = columns.map((row) => `${row.name}.${row.column}`);
  expect(named.toSorted()).toEqual(known.toSorted());
});
