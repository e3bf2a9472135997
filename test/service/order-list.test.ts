/** What the operator of a shop lists and finds: orders of both surfaces and rails, ended ones too. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import type { OrdersAsked } from '../../src/domain/operator/operator.ts';
import { findOrders, listOrders } from '../../src/service/operator/order-search.ts';
import type { Store } from '../../src/store/store.ts';
import { openPayout } from '../../src/store/tables/refunds.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { partnerSandbox } from '../support/partner-sandbox.ts';
import { GOODS } from '../support/sold-line.ts';
import {
  accountRow,
  deliveryRow,
  orderRow,
  partnerOrderRow,
  refundRow,
  sessionRow,
  settlementRow,
} from '../support/store-suite.ts';

describe('orders of a sandbox', async () => {
  const host = await partnerSandbox();
  afterAll(() => host.close());

  it('has the orders under way, the oldest first, and ended ones by their state', async () => {
    const { store } = host.current();
    const ids = async (state?: string, limit = 10) =>
      (await listOrders(store, { state, limit })).map(({ order_id }) => order_id);
    const first = await host.create();
    await host.pass(1_000);
    const last = await host.create();
    expect(await ids()).toEqual([first.order_id, last.order_id]);
    expect(await ids(undefined, 1)).toEqual([first.order_id]);
    await host.post(`/sandbox/orders/${first.order_id}/cancel`, {});
    expect(await ids('Canceled')).toEqual([first.order_id]);
    expect(await ids()).toEqual([last.order_id]);
    expect(await ids('any')).toEqual([first.order_id, last.order_id]);
  });
});

const BASE = 'eip155:8453';
const PAYER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HASH = `0x${'ab'.repeat(32)}`;
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-11-01T00:00:00Z');
const [DONE, OPEN, ETHER] = [1, 2, 3].map((n) => `${n}1111111-0000-4000-8000-000000000000`) as [
  ...[string, string, string],
];
const [SOLD, FAILED] = ['cr_aaaa_solana', 'cr_bbbb_base'];

/** Five orders, each made a day after the one before: two of the partner API, two over x402, and one in ether. */
async function fill(store: Store): Promise<void> {
  const at = (day: number) => {
    const atMs = START_MS + day * DAY_MS;
    return { createdAtMs: atMs, updatedAtMs: atMs };
  };
  const line = (orderId: string, more = {}) => [
    deliveryRow({
      deliveryId: `line of ${orderId}`,
      orderId,
      goods: GOODS,
      beneficiary: 'bob',
      ...more,
    }),
  ];
  const end = { orderState: 'Done', paymentState: 'PaymentReceived' } as const;
  await store.write(async (tables) => {
    const { partnerOrders, sessions, settlements, orders, refunds, receivingAccounts } = tables;
    const done = {
      ...at(0),
      ...end,
      orderId: DONE,
      idempotencyKey: 'invoice-7',
      walletAddress: null,
    };
    const lines = line(DONE, {
      state: 'completed',
      codeDigest: 'digest-1',
      beneficiary: 'bob@example.org',
    });
    await partnerOrders.insert(partnerOrderRow({ ...done, email: 'Ann@Example.com' }), lines);
    const [row] = await partnerOrders.due(START_MS * 2, 1);
    if (row) await partnerOrders.update(row, { ...row, transactions: '["sent-1","sent-2"]' });
    await receivingAccounts.insert(accountRow({ owner: 'owner-done', lease: `order ${DONE}` }));
    const open = { ...at(1), orderId: OPEN, walletAddress: 'owner-open', applicationId: 'shop-2' };
    await partnerOrders.insert(partnerOrderRow({ ...open, email: 'eve@example.com' }), line(OPEN));
    const amount = { coin: 'ETH', decimals: 18, coinAmountAtomic: '2500000000000000000' };
    const ether = { ...at(4), ...end, ...amount, orderId: ETHER, walletAddress: null };
    await partnerOrders.insert(
      partnerOrderRow({ ...ether, email: 'eve@example.com' }),
      line(ETHER),
    );
    for (const [orderId, sessionId, day] of [
      [SOLD, 's-1', 2],
      [FAILED, 's-2', 3],
    ] as const) {
      const sold = { ...at(day), orderId, sessionId, amountAtomic: day === 2 ? '7000000' : null };
      await sessions.insert(
        sessionRow({ sessionId, destination: `to-${sessionId}`, amountAtomic: '9000000' }),
      );
      await orders.insert(
        orderRow({ ...sold, status: day === 2 ? 'completed' : 'failed' }),
        line(orderId),
      );
    }
    const paid = {
      orderId: SOLD,
      sessionId: 's-1',
      state: 'settled',
      transaction: 'sent-3',
    } as const;
    await settlements.insert(
      settlementRow({ ...paid, paymentId: 'payment-1', network: SOLANA_MAINNET }),
    );
    const onBase = {
      orderId: FAILED,
      sessionId: 's-2',
      messageHash: 'm-2',
      network: BASE,
    } as const;
    await settlements.insert(
      settlementRow({ ...onBase, payer: PAYER, state: 'settled', transaction: HASH }),
    );
    await refunds.record(
      refundRow({ refundId: `${FAILED} all`, orderId: FAILED, amountAtomic: '9000000' }),
    );
    const sent = {
      ...openPayout(`${FAILED} all`, 1),
      state: 'sent',
      transaction: 'back-1',
    } as const;
    await tables.payouts.update(sent, sent);
  });
}

describe.each(ENGINES)('orders of a shop on %s', (engine) => {
  let opened: EmptyStore;
  beforeEach(async () => {
    opened = await emptyStore(engine);
    await fill(opened.store);
  });
  afterEach(() => opened.remove());

  it('are found by all that a customer may name, the newest first', async () => {
    const found = async (what: string) =>
      (await findOrders(opened.store.tables, what, 10)).map(({ order_id: id }) => id);
    const named: readonly (readonly [string, readonly string[]])[] = [
      ['ann@example.com', [FAILED, SOLD, DONE]],
      [' EVE@EXAMPLE.COM ', [ETHER, OPEN]],
      ['bob@example.org', [DONE]],
      ...['sent-1', 'sent-2', 'digest-1', 'invoice-7', 'owner-done'].map(
        (what) => [what, [DONE]] as const,
      ),
      ['owner-open', [OPEN]],
      ...['sent-3', 'payment-1', 'payer-1', 'to-s-1', 's-1'].map((what) => [what, [SOLD]] as const),
      ...[HASH, HASH.toUpperCase().replace('X', 'x'), PAYER, PAYER.toLowerCase(), 'back-1'].map(
        (what) => [what, [FAILED]] as const,
      ),
      [`${FAILED}:all`, [FAILED]],
      [`https://basescan.org/tx/0x${'AB'.repeat(32)}`, [FAILED]],
      ['https://explorer.solana.com/tx/sent-3/?cluster=mainnet', [SOLD]],
      ['https://solscan.io/', []],
      ['1111-0000', [ETHER, OPEN, DONE]],
      ['cr_', []],
      ['b_base', [FAILED]],
      ['b%base', []],
      ["' or 1=1 --", []],
    ];
    for (const [what, ids] of named) {
      const asked = found(what);
      if (ids.length > 0) expect(await asked, what).toEqual(ids);
      else await expect(asked, what).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
    }
  });

  it('are listed by filters, page by page', async () => {
    const listed = async (asked: Partial<OrdersAsked>) =>
      (await listOrders(opened.store, { state: 'any', limit: 10, ...asked })).map(
        ({ order_id: id }) => id,
      );
    const all = [DONE, OPEN, SOLD, FAILED, ETHER];
    expect(await listed({})).toEqual(all);
    expect(await listed({ isNewestFirst: true })).toEqual(all.toReversed());
    expect(await listed({ limit: 2, after: OPEN })).toEqual([SOLD, FAILED]);
    expect(await listed({ limit: 2, after: SOLD, isNewestFirst: true })).toEqual([OPEN, DONE]);
    await expect(listed({ after: 'none' })).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
    expect(await listed({ state: undefined })).toEqual([OPEN]);
    expect(await listed({ state: 'completed' })).toEqual([SOLD]);
    expect(await listed({ state: 'Done', surface: 'checkout' })).toEqual([]);
    expect(await listed({ surface: 'checkout' })).toEqual([SOLD, FAILED]);
    expect(await listed({ partnerId: 'shop-2' })).toEqual([OPEN]);
    const [sinceMs, untilMs] = [START_MS + DAY_MS, START_MS + 3 * DAY_MS];
    expect(await listed({ sinceMs, untilMs })).toEqual([OPEN, SOLD]);
    expect(await listed({ amount: { least: '25.25', most: '25.25' } })).toEqual([DONE, OPEN]);
    expect(await listed({ amount: { least: '2.5', most: '2.5' } })).toEqual([ETHER]);
    expect(await listed({ amount: { most: '7.0000001' } })).toEqual([SOLD, ETHER]);
    expect(await listed({ amount: { least: '7.0000001' } })).toEqual([DONE, OPEN]);
    expect(await listed({ text: '800-FLOW', limit: 3 })).toEqual([DONE, OPEN, SOLD]);
    expect(await listed({ text: 'N@Exam' })).toEqual([DONE, SOLD, FAILED]);
    expect(await listed({ text: '_', partnerId: 'shop-1' })).toEqual([]);
  });

  it('have amount, product, payer, transactions and refund, and no whole address', async () => {
    const [sold] = await findOrders(opened.store.tables, FAILED, 1);
    expect(sold).toEqual({
      ...{ order_id: FAILED, surface: 'checkout', state: 'failed', payment_state: null },
      ...{ partner_id: null, email: 'a***@example.com', product: '1-800-Flowers 10 USD' },
      ...{ amount: '9', coin: 'USDC', network: BASE, payer: PAYER, transactions: [HASH] },
      ...{ refund: '9', refund_state: 'sent' },
      created_at: '2026-11-04T00:00:00.000Z',
      updated_at: '2026-11-04T00:00:00.000Z',
    });
    const [done] = await findOrders(opened.store.tables, DONE, 1);
    expect(done).toMatchObject({ amount: '25.25', transactions: ['sent-1', 'sent-2'] });
    expect(done?.network).toBe(SOLANA_MAINNET);
  });
});
