/** What every engine behind the Store port must do. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { Claim } from '../../src/domain/payment/claim.ts';
import type { ChainStore, Store } from '../../src/store/store.ts';
import type { ChainTransactionRow } from '../../src/store/tables/chain.ts';
import type { DeliveryRow } from '../../src/store/tables/deliveries.ts';
import type { OrderRow } from '../../src/store/tables/orders.ts';
import type { OutboxRow } from '../../src/store/tables/outbox.ts';
import type { PartnerOrderRow } from '../../src/store/tables/partner-orders.ts';
import type { PaymentRequestRow } from '../../src/store/tables/payment-requests.ts';
import type { PurchaseRow } from '../../src/store/tables/purchases.ts';
import type { ReceivingAccountRow } from '../../src/store/tables/receiving-accounts.ts';
import { openPayout, type RefundRow } from '../../src/store/tables/refunds.ts';
import type { SessionRow } from '../../src/store/tables/sessions.ts';
import { FIRST_TRY_MS, type SettlementRow } from '../../src/store/tables/settlements.ts';
import type { WizardSessionRow } from '../../src/store/tables/wizard-sessions.ts';
import { allRows } from './all-rows.ts';
import { increment } from './increment.ts';

export function sessionRow(more: Partial<SessionRow> = {}): SessionRow {
  return {
    sessionId: 'session-1',
    bodyHash: 'ab'.repeat(32),
    body: '{"items":[]}',
    payTo: 'owner-1',
    destination: 'account-1',
    amountAtomic: '18446744073709551615',
    requirement: '{}',
    otherRequirements: null,
    lines: '[]',
    createdAtMs: 1_767_225_600_000,
    expiresAtMs: 1_767_225_660_000,
    erasedAtMs: null,
    ...more,
  };
}

export function settlementRow(more: Partial<SettlementRow> = {}): SettlementRow {
  return {
    messageHash: 'message-1',
    sessionId: 'session-1',
    orderId: 'order-1',
    payload: '{}',
    paymentId: null,
    payer: 'payer-1',
    network: SOLANA_MAINNET,
    state: 'submitting',
    transaction: null,
    reason: null,
    createdAtMs: 1_767_225_600_000,
    settledAtMs: null,
    ...more,
  };
}

export function orderRow(more: Partial<OrderRow> = {}): OrderRow {
  return {
    orderId: 'order-1',
    sessionId: 'session-1',
    email: 'ann@example.com',
    status: 'processing',
    callbackUrl: null,
    amountAtomic: null,
    createdAtMs: 1_767_225_600_000,
    updatedAtMs: 1_767_225_600_000,
    ...more,
  };
}

export function deliveryRow(more: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    deliveryId: 'delivery-1',
    orderId: 'order-1',
    line: 0,
    beneficiary: 'ann@example.com',
    goods: '{}',
    state: 'waiting',
    attempts: 0,
    nextAttemptAtMs: 0,
    voucher: null,
    failureReason: null,
    codeDigest: null,
    fault: null,
    ...more,
  };
}

export function partnerOrderRow(more: Partial<PartnerOrderRow> = {}): PartnerOrderRow {
  const { orderId = '00000000-0000-4000-8000-000000000001' } = more;
  return {
    orderId,
    pageId: `page of ${orderId}`,
    applicationId: 'shop-1',
    orderState: 'WaitingForPayment',
    paymentState: 'PaymentRequested',
    email: 'ann@example.com',
    request: '{}',
    lines: '[]',
    quote: '{}',
    valueUsd: '25000000',
    couponCode: null,
    coin: 'USDC',
    network: 'Solana',
    decimals: 6,
    coinAmountAtomic: '25250000',
    receivedAtomic: '0',
    seenAtomic: '0',
    walletAddress: 'owner-1',
    transactions: '[]',
    notificationUrl: null,
    refundAddress: null,
    idempotencyKey: null,
    maker: null,
    createdAtMs: 1_767_225_600_000,
    windowEndsAtMs: 1_767_226_500_000,
    updatedAtMs: 1_767_225_600_000,
    closedAtMs: null,
    nextLookAtMs: 1_767_225_600_000,
    erasedAtMs: null,
    version: 0,
    ...more,
  };
}

export function refundRow(more: Partial<RefundRow> = {}): RefundRow {
  return {
    ...{ refundId: 'refund-1', orderId: 'order-1', kind: 'refund', line: null, coin: 'USDC' },
    ...{ amountAtomic: '1', decimals: 6, recipient: null, reason: 'late', createdAtMs: 1 },
    ...more,
  };
}

export function accountRow(more: Partial<ReceivingAccountRow> = {}): ReceivingAccountRow {
  return {
    ...{
      owner: 'owner-1',
      network: SOLANA_MAINNET,
      position: 0,
      lease: null,
      leasedAtMs: null,
      baseline: null,
    },
    ...{ sweep: null, closedAtMs: null, createdAtMs: 1, version: 0 },
    ...more,
  };
}

export function webhookRow(more: Partial<OutboxRow> = {}): OutboxRow {
  return {
    ...{ webhookId: 'msg_1', orderId: 'a', seq: 1, url: 'https://example.com/hook' },
    ...{ attempts: 0, nextAttemptAtMs: 10, state: 'pending', lastError: null, createdAtMs: 10 },
    ...more,
  };
}

function claimRow(more: Partial<Claim> = {}): Claim {
  return {
    messageHash: 'message-1',
    transaction: 'transaction-1',
    wire: 'AQ==',
    validUntil: 280_000_150,
    state: 'submitting',
    reason: null,
    createdAtMs: 1_767_225_600_000,
    landedIn: null,
    ...more,
  };
}

function purchaseRow(more: Partial<PurchaseRow> = {}): PurchaseRow {
  return {
    reference: 'delivery-1',
    request: '{}',
    outcome: 'fulfilled',
    readyAtMs: 1_767_225_600_000,
    attempts: 1,
    voucher: '{"code":"TEST-1"}',
    createdAtMs: 1_767_225_600_000,
    ...more,
  };
}

export function chainTransactionRow(more: Partial<ChainTransactionRow> = {}): ChainTransactionRow {
  return {
    signature: 'signature-1',
    messageHash: 'message-1',
    slot: 300_000_000,
    blockTimeMs: 1_767_225_600_000,
    error: null,
    wire: Uint8Array.of(1, 2, 3),
    meta: '{}',
    ...more,
  };
}

/** Later than anything is due. */
const FAR_MS = 9_999_999_999_999;

const recordExists = expect.objectContaining({ code: 'RECORD_EXISTS' });

/** Runs the suite; `open` gives an empty store each time. */
export function describeStore(engine: string, open: () => Promise<Store>): void {
  describe(`store: ${engine}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    describeCheckout(() => store);
    describeDeliveries(() => store);
    describePartnerOrders(() => store);
    describeEvents(() => store);
    describeClaims(() => store);
    describeWizardSessions(() => store);
    describeReceivingAccounts(() => store);
    describePaymentRequests(() => store);
    describeBacklog(() => store);
    describeWrites(() => store);
  });
}

function describeBacklog(store: () => Store): void {
  it('counts what waits, and since when', async () => {
    const { backlog } = store().tables;
    const states = ['WaitingForPayment', 'WaitingForDelivery'] as const;
    expect(await backlog.partnerOrders(states)).toEqual([]);
    expect(await backlog.orders()).toEqual({ count: 0, sinceMs: null });
    expect(await backlog.payments()).toEqual({ count: 0, sinceMs: null });
    expect(await backlog.refunds()).toEqual([]);
    expect(await backlog.webhooks()).toEqual([
      { state: 'pending', count: 0 },
      { state: 'dead', count: 0 },
    ]);
    expect(await backlog.oldestWebhook()).toBeNull();
    await store().write(
      async ({ partnerOrders, orders, sessions, settlements, refunds, outbox }) => {
        const more = [
          { updatedAtMs: 9 },
          { updatedAtMs: 7 },
          { orderState: 'Done', updatedAtMs: 1 },
        ] as const;
        for (const [index, one] of more.entries()) {
          const own = { orderId: `order-${index}`, walletAddress: `owner-${index}` };
          await partnerOrders.insert(partnerOrderRow({ ...own, ...one }), []);
        }
        await sessions.insert(sessionRow());
        await settlements.insert(settlementRow({ createdAtMs: 5 }));
        await orders.insert(orderRow({ createdAtMs: 4 }), []);
        await orders.insert(
          orderRow({ orderId: 'order-9', sessionId: 'session-9', status: 'completed' }),
          [],
        );
        for (const [index, refundId] of ['one', 'two', 'three'].entries()) {
          await refunds.record(refundRow({ refundId, createdAtMs: 3 - index }));
        }
        await outbox.insert(webhookRow({ state: 'dead' }));
        await outbox.insert(webhookRow({ webhookId: 'msg-2', state: 'delivered' }));
        await outbox.insert(webhookRow({ webhookId: 'msg-3', createdAtMs: 8 }));
        await outbox.insert(webhookRow({ webhookId: 'msg-4', createdAtMs: 6 }));
      },
    );
    const [first, , third] = await Promise.all(
      ['one', 'two', 'three'].map((id) => store().tables.payouts.byRefund(id)),
    );
    if (first) await store().tables.payouts.update(first, { waitsFor: 'approval' });
    if (third) await store().tables.payouts.update(third, { state: 'sent', nextAtMs: null });
    expect(await backlog.partnerOrders(states)).toEqual([
      { orderState: 'WaitingForPayment', count: 2, sinceMs: 7 },
    ]);
    expect(await backlog.orders()).toEqual({ count: 1, sinceMs: 4 });
    expect(await backlog.payments()).toEqual({ count: 1, sinceMs: 5 });
    const refunds = await backlog.refunds();
    expect(refunds).toHaveLength(2);
    expect(refunds).toContainEqual({ waitsFor: 'approval', count: 1, sinceMs: 3 });
    expect(refunds).toContainEqual({ waitsFor: null, count: 1, sinceMs: 2 });
    expect(await backlog.webhooks()).toEqual([
      { state: 'pending', count: 2 },
      { state: 'dead', count: 1 },
    ]);
    expect(await backlog.oldestWebhook()).toBe(6);
  });
}

function describeReceivingAccounts(store: () => Store): void {
  const account = accountRow();

  it('leases an account to the first of two', async () => {
    const { receivingAccounts } = store().tables;
    await receivingAccounts.insert(account);
    const leases = ['order a', 'order b'] as const;
    const taken = await Promise.all(
      leases.map((lease) => receivingAccounts.update(account, { lease, leasedAtMs: 2 })),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    const row = await receivingAccounts.byOwner('owner-1');
    expect(row).toMatchObject({ lease: leases[taken.indexOf(true)], version: 1 });
    expect(await receivingAccounts.all(SOLANA_MAINNET)).toEqual([row]);
    expect(await receivingAccounts.open(SOLANA_MAINNET)).toEqual([row]);
    expect(await receivingAccounts.nextPosition()).toBe(1);
    if (row) await receivingAccounts.update(row, { closedAtMs: 5 });
    expect(await receivingAccounts.open(SOLANA_MAINNET)).toEqual([]);
    expect(await receivingAccounts.closedSince(SOLANA_MAINNET, 5)).toHaveLength(1);
    expect(await receivingAccounts.closedSince(SOLANA_MAINNET, 6)).toEqual([]);
  });

  it('adds up what several servers spent of a bucket, and forgets those that are full', async () => {
    const spend = (atMs: number, ...spent: readonly [string, number][]) =>
      store().write(async ({ sharedRates }) => {
        const rows = await sharedRates.spend(
          spent.map(([name, spentMs]) => ({ name, spentMs })),
          atMs,
        );
        return Object.fromEntries(rows.map(({ name, fullAtMs }) => [name, fullAtMs]));
      });
    expect(await spend(100, ['b', 30], ['a', 10])).toEqual({ a: 110, b: 130 });
    // By then `a` is full again, and `b` lacks 20.
    expect(await spend(110, ['a', 5], ['b', 5])).toEqual({ a: 115, b: 135 });
    expect(await spend(110, ['b', -15])).toEqual({ b: 120 });
    await store().write(({ sharedRates }) => sharedRates.forget(118));
    expect(await spend(118, ['a', 0], ['b', 0])).toEqual({ a: 118, b: 120 });
  });

  it('refuses a second account at one position', async () => {
    const { receivingAccounts } = store().tables;
    await receivingAccounts.insert(account);
    await expect(receivingAccounts.insert({ ...account, owner: 'owner-2' })).rejects.toEqual(
      recordExists,
    );
  });

  it('changes a partner for the first of two', async () => {
    const { partners } = store().tables;
    const partner = {
      ...{ partnerId: 'acme', secretHash: 'a', formerHash: null, formerUntilMs: null },
      ...{ networks: '[]', ordersPerMinute: null, createdAtMs: 1, revokedAtMs: null },
      ...{ webhookGeneration: 0, formerWebhookUntilMs: null, version: 0 },
    };
    await partners.insert(partner);
    await expect(partners.insert(partner)).rejects.toEqual(recordExists);
    const changed = await Promise.all(
      [2, 3].map((revokedAtMs) => partners.update(partner, { revokedAtMs })),
    );
    expect(changed.filter(Boolean)).toHaveLength(1);
    const row = { ...partner, revokedAtMs: changed[0] ? 2 : 3, version: 1 };
    expect(await partners.byId('acme')).toEqual(row);
    expect(await partners.all()).toEqual([row]);
    expect(await partners.byId('other')).toBeUndefined();
  });

  it('lists what operators did, the newest first, and how it ended', async () => {
    const { operatorActions } = store().tables;
    const action = {
      ...{ who: 'ann', action: 'retry', subject: 'order-1', result: 'begun' },
      reason: 'asked by the buyer',
    };
    await operatorActions.insert({ ...action, actionId: 'one', atMs: 1 });
    await operatorActions.insert({ ...action, actionId: 'two', atMs: 2, subject: 'order-2' });
    await operatorActions.end('one', 'done');
    const ids = async (limit: number, subject?: string) =>
      (await operatorActions.latest(limit, subject)).map(({ actionId, result }) => [
        actionId,
        result,
      ]);
    expect(await ids(10)).toEqual([
      ['two', 'begun'],
      ['one', 'done'],
    ]);
    expect(await ids(1)).toEqual([['two', 'begun']]);
    expect(await ids(10, 'order-1')).toEqual([['one', 'done']]);
  });
}

const request: PaymentRequestRow = {
  messageHash: 'message-1',
  orderId: 'order-1',
  account: 'wallet-1',
  amountAtomic: '25250000',
  transaction: 'transaction-1',
  wire: 'AAAA',
  validUntil: 300,
  state: 'live',
  createdAtMs: 1_000,
  nextLookAtMs: 2_000,
};

function describePaymentRequests(store: () => Store): void {
  it('has one undecided payment of an order', async () => {
    const { paymentRequests } = store().tables;
    await paymentRequests.insert(request, 10_060n);
    const other = { ...request, messageHash: 'message-2' };
    await expect(paymentRequests.insert(other, 10_060n)).rejects.toEqual(recordExists);
    expect(await paymentRequests.liveOf('order-1')).toMatchObject(request);
    expect(await paymentRequests.due(1_999, 10)).toEqual([]);
    expect(await paymentRequests.due(2_000, 10)).toMatchObject([request]);
    await paymentRequests.update('message-1', { state: 'expired', nextLookAtMs: null });
    await paymentRequests.insert(other, 10_060n);
    expect(await paymentRequests.liveOf('order-1')).toMatchObject(other);
  });

  it('forgets decided payments of long ago, and no other', async () => {
    const { paymentRequests } = store().tables;
    await paymentRequests.insert({ ...request, nextLookAtMs: 1 }, 10_060n);
    await paymentRequests.insert(
      { ...request, messageHash: 'message-2', orderId: 'order-2' },
      10_060n,
    );
    await paymentRequests.update('message-2', { state: 'landed', nextLookAtMs: null });
    await paymentRequests.forget(1_000);
    expect(await paymentRequests.feesSince(0)).toBe(20_120n);
    await paymentRequests.forget(1_001);
    expect(await paymentRequests.feesSince(0)).toBe(10_060n);
    expect(await paymentRequests.liveOf('order-1')).toBeDefined();
  });

  it('decides a payment once, and counts what it costs', async () => {
    const { paymentRequests } = store().tables;
    await paymentRequests.insert(request, 10_060n);
    await paymentRequests.insert(
      { ...request, messageHash: 'message-2', orderId: 'order-2' },
      10_060n,
    );
    expect(await paymentRequests.feesSince(1_000)).toBe(20_120n);
    expect(await paymentRequests.feesSince(1_001)).toBe(0n);
    for (const state of ['failed', 'expired'] as const) {
      await paymentRequests.update('message-1', { state, nextLookAtMs: null });
    }
    await paymentRequests.update('message-2', { state: 'expired', nextLookAtMs: null });
    expect(await paymentRequests.feesSince(0)).toBe(10_060n);
  });
}

/** What every engine must do behind the store of a chain. */
export function describeChainStore(engine: string, open: () => Promise<ChainStore>): void {
  describe(`store of a chain: ${engine}`, () => {
    let store: ChainStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    describeChain(() => store);
  });
}

function describeCheckout(store: () => Store): void {
  it('gives a session back as it was, by id and by destination', async () => {
    const row = sessionRow();
    await store().tables.sessions.insert(row);
    expect(await store().tables.sessions.byId('session-1')).toEqual(row);
    expect(await store().tables.sessions.byDestination('account-1')).toEqual(row);
    expect(await store().tables.sessions.byId('session-2')).toBeUndefined();
  });

  it('refuses a second session with one destination', async () => {
    await store().tables.sessions.insert(sessionRow());
    const twin = sessionRow({ sessionId: 'session-2' });
    await expect(store().tables.sessions.insert(twin)).rejects.toEqual(recordExists);
  });

  it.each([
    ['message', { sessionId: 's', orderId: 'o', transaction: 't' }],
    ['session', { messageHash: 'm', orderId: 'o', transaction: 't' }],
    ['order', { messageHash: 'm', sessionId: 's', transaction: 't' }],
    ['transaction', { messageHash: 'm', sessionId: 's', orderId: 'o' }],
  ])('refuses a second settlement with one %s', async (_name, more) => {
    const first = settlementRow({ transaction: 'transaction-1' });
    await store().tables.settlements.insert(first);
    const twin = { ...first, ...more };
    await expect(store().tables.settlements.insert(twin)).rejects.toEqual(recordExists);
  });

  it('takes settlements that share a transaction on a rail where it is no payment', async () => {
    const { settlements } = store().tables;
    const first = settlementRow({ transaction: 't', network: 'eip155:8453' });
    await settlements.insert(first);
    await settlements.insert({ ...first, messageHash: 'm', sessionId: 's', orderId: 'o' });
    expect(await settlements.bySession('s')).toMatchObject({ transaction: 't' });
  });

  it('takes several settlements that have no transaction yet', async () => {
    const { settlements } = store().tables;
    await settlements.insert(settlementRow());
    await settlements.insert(settlementRow({ messageHash: 'm', sessionId: 's', orderId: 'o' }));
    expect(await settlements.due(FAR_MS, 10)).toHaveLength(2);
  });

  it('keeps one settlement under a name, until it fails', async () => {
    const { settlements } = store().tables;
    const named = settlementRow({ paymentId: 'name' });
    const next = { ...named, messageHash: 'm', sessionId: 's', orderId: 'o' };
    await settlements.insert(named);
    await expect(settlements.insert(next)).rejects.toEqual(recordExists);
    expect(await settlements.byPaymentId('name')).toEqual(named);
    expect(await settlements.byPaymentId('another name')).toBeUndefined();
    const failed = { state: 'failed', transaction: null, reason: 'no', settledAtMs: null } as const;
    await settlements.decide('message-1', failed);
    expect(await settlements.byPaymentId('name')).toBeUndefined();
    await settlements.insert(next);
    expect(await settlements.byPaymentId('name')).toEqual(next);
  });

  it('names a settlement once, and no two alike', async () => {
    const { settlements } = store().tables;
    await settlements.insert(settlementRow());
    await settlements.insert(settlementRow({ messageHash: 'm', sessionId: 's', orderId: 'o' }));
    await settlements.name('message-1', 'name');
    await settlements.name('message-1', 'another name');
    expect(await settlements.byMessage('message-1')).toEqual(settlementRow({ paymentId: 'name' }));
    await expect(settlements.name('m', 'name')).rejects.toEqual(recordExists);
  });

  it('decides a settlement once', async () => {
    const { settlements } = store().tables;
    await settlements.insert(settlementRow());
    const settled = { state: 'settled', transaction: 't', reason: null, settledAtMs: 5 } as const;
    const failed = { state: 'failed', transaction: null, reason: 'no', settledAtMs: 6 } as const;
    const after = { ...settlementRow(), ...settled };
    expect(await settlements.decide('message-1', settled)).toEqual(after);
    expect(await settlements.decide('message-1', failed)).toBeUndefined();
    expect(await settlements.decide('message-2', failed)).toBeUndefined();
    expect(await settlements.bySession('session-1')).toEqual({ ...settlementRow(), ...settled });
    expect(await settlements.byMessage('message-1')).toMatchObject(settled);
    expect(await settlements.due(FAR_MS, 10)).toEqual([]);
  });

  it('finds the settlement of a payment by its session, or else by its message', async () => {
    const { settlements } = store().tables;
    const other = settlementRow({ messageHash: 'm', sessionId: 's', orderId: 'o' });
    await settlements.insert(other);
    await settlements.insert(settlementRow());
    const found = (sessionId: string, messageHash: string) =>
      settlements.ofPayment({ sessionId, messageHash });
    expect(await found('session-1', 'm')).toEqual(settlementRow());
    expect(await found('no session', 'm')).toEqual(other);
    expect(await found('s', 'no message')).toEqual(other);
    expect(await found('no session', 'no message')).toBeUndefined();
  });

  it('lists undecided settlements whose first try is over, oldest first, up to the limit', async () => {
    for (const [index, createdAtMs] of [30, 10, 20].entries()) {
      const key = `key-${index}`;
      await store().tables.settlements.insert(
        settlementRow({ messageHash: key, sessionId: key, orderId: key, createdAtMs }),
      );
    }
    const { settlements } = store().tables;
    const dueAt = async (atMs: number, limit: number) =>
      (await settlements.due(atMs, limit)).map((row) => row.createdAtMs);
    expect(await dueAt(FIRST_TRY_MS + 9, 5)).toEqual([]);
    expect(await dueAt(FIRST_TRY_MS + 10, 5)).toEqual([10]);
    expect(await dueAt(FIRST_TRY_MS + 30, 2)).toEqual([10, 20]);
  });

  it('gives each try of a settlement to one holder, who may put off the next', async () => {
    const { settlements } = store().tables;
    const row = settlementRow({ createdAtMs: 0 });
    await settlements.insert(row);
    const atMs = FIRST_TRY_MS;
    const lease = (at: number) =>
      store().write((tables) =>
        tables.settlements.lease({ atMs: at, untilMs: at + 100, limit: 10 }),
      );
    const rivals = await Promise.all([lease(atMs), lease(atMs)]);
    expect(rivals.flat()).toEqual([{ ...row, attempts: 1 }]);
    expect(await settlements.due(atMs + 99, 10)).toEqual([]);
    // Its holder died: the next one has it when the lease ends, and an old holder changes nothing.
    expect(await lease(atMs + 100)).toEqual([{ ...row, attempts: 2 }]);
    await settlements.putOff({ ...row, attempts: 1 }, 0);
    expect(await settlements.due(atMs + 199, 10)).toEqual([]);
    await settlements.putOff({ ...row, attempts: 2 }, atMs + 150);
    expect(await settlements.due(atMs + 150, 10)).toMatchObject([{ attempts: 2 }]);
  });

  it('puts off a settlement that its first request leaves undecided, unless a later try began', async () => {
    const { settlements } = store().tables;
    await settlements.insert(settlementRow({ createdAtMs: 0 }));
    const first = { messageHash: 'message-1', attempts: 0 };
    await settlements.putOff(first, 500);
    expect(await settlements.due(499, 10)).toEqual([]);
    expect(await settlements.due(500, 10)).toMatchObject([first]);
    await store().write((tables) =>
      tables.settlements.lease({ atMs: 500, untilMs: 600, limit: 10 }),
    );
    await settlements.putOff(first, 0);
    expect(await settlements.due(599, 10)).toEqual([]);
  });

  it('makes a settlement due that was put off or is in its first try, unless it is decided', async () => {
    const { settlements } = store().tables;
    await settlements.insert(settlementRow({ createdAtMs: 0 }));
    expect(await settlements.wake('order-1', 5)).toBe(true);
    expect(await settlements.due(4, 10)).toEqual([]);
    expect(await settlements.due(5, 10)).toMatchObject([{ attempts: 0 }]);
    await store().write((tables) => tables.settlements.lease({ atMs: 5, untilMs: 9, limit: 10 }));
    await settlements.putOff({ messageHash: 'message-1', attempts: 1 }, 500);
    expect(await settlements.wake('order-1', 20)).toBe(true);
    expect(await settlements.due(20, 10)).toMatchObject([{ attempts: 1 }]);
    await settlements.decide('message-1', {
      ...{ state: 'failed', transaction: null, reason: 'no', settledAtMs: null },
    });
    expect(await settlements.wake('order-1', 30)).toBe(false);
    expect(await settlements.wake('another order', 30)).toBe(false);
  });

  it('records a refund once, and gives those of an order', async () => {
    const { refunds, payouts } = store().tables;
    const amountAtomic = '18446744073709551615';
    const row = refundRow({ refundId: 'order-1 line 0', line: 0, amountAtomic });
    expect(await refunds.record(row)).toBe(true);
    expect(await refunds.record({ ...row, amountAtomic: '1' })).toBe(false);
    await refunds.record({ ...row, refundId: 'order-2 rest', orderId: 'order-2', line: null });
    expect(await refunds.ofOrder('order-1')).toEqual([row]);
    expect(await refunds.byId('order-1 line 0')).toEqual(row);
    await refunds.record({ ...row, refundId: 'order-1 loss 0', kind: 'loss' });
    expect(await payouts.list('all', 5)).toMatchObject([
      { ...row, state: 'open', nextAtMs: 1, version: 0 },
      { orderId: 'order-2' },
    ]);
    await refunds.address('order-1', 'wallet-1');
    await refunds.address('order-1', 'wallet-2');
    expect(await refunds.byId('order-1 line 0')).toEqual({ ...row, recipient: 'wallet-1' });
    const ids = (await allRows(refunds.rows())).map(({ refundId }) => refundId);
    expect(ids).toEqual(['order-1 line 0', 'order-1 loss 0', 'order-2 rest']);
  });

  it('moves on the payment of a refund, one change after another', async () => {
    const { refunds, payouts } = store().tables;
    const row = refundRow({ refundId: 'r', amountAtomic: '7', recipient: 'w' });
    await refunds.record(row);
    await refunds.record({ ...row, refundId: 's' });
    expect((await payouts.due(1, 5)).map(({ refundId }) => refundId)).toEqual(['r', 's']);
    const sending = { state: 'sending', transfer: 'm', reservedAtMs: 20, nextAtMs: 30 } as const;
    expect(await payouts.update({ refundId: 'r', version: 0 }, sending)).toBe(true);
    expect(await payouts.update({ refundId: 'r', version: 0 }, { state: 'open' })).toBe(false);
    await expect(payouts.update({ refundId: 's', version: 0 }, sending)).rejects.toMatchObject({
      code: 'RECORD_EXISTS',
    });
    expect([await payouts.reservedSince(20), await payouts.reservedSince(21)]).toEqual([7n, 0n]);
    await payouts.wake('order-1', 25);
    const sent = { state: 'sent', transaction: 't', nextAtMs: null } as const;
    expect(await payouts.update({ refundId: 'r', version: 1 }, sent)).toBe(true);
    expect(await payouts.byTransaction('t')).toMatchObject({ refundId: 'r', version: 2 });
    await refunds.record({ ...row, refundId: 'u', orderId: 'order-2' });
    expect(await payouts.update({ refundId: 'u', version: 0 }, sent)).toBe(true);
    expect(await payouts.due(40, 5)).toMatchObject([{ refundId: 's', nextAtMs: 25, version: 1 }]);
    expect(await payouts.ofOrder('order-1')).toHaveLength(2);
    expect(await payouts.list('waiting', 5)).toMatchObject([{ refundId: 's' }]);
  });

  it('keeps whose turn it is to pay an order', async () => {
    const { paymentLeases } = store().tables;
    const row = { orderId: 'order-1', holder: 'one', endsAtMs: 1_767_225_600_000, passedOn: 0 };
    expect(await paymentLeases.ofOrder('order-1')).toBeUndefined();
    await paymentLeases.put(row);
    await paymentLeases.put({ ...row, orderId: 'order-2' });
    const passed = { ...row, holder: 'other', endsAtMs: 1_767_225_660_000, passedOn: 1 };
    await paymentLeases.put(passed);
    expect(await paymentLeases.ofOrder('order-1')).toEqual(passed);
    expect(await paymentLeases.ofOrder('order-2')).toMatchObject({ holder: 'one' });
  });

  it('gives an order back by id and by session, and moves its status', async () => {
    const { orders } = store().tables;
    await orders.insert(orderRow({ callbackUrl: 'https://example.com/hook' }), []);
    const callbackUrl = 'https://example.com/hook';
    const moved = { ...orderRow(), status: 'completed', updatedAtMs: 99, callbackUrl };
    expect(await orders.setStatus('order-1', 'completed', 99)).toEqual(moved);
    expect(await orders.setStatus('order-1', 'completed', 100)).toBeUndefined();
    expect(await orders.setStatus('order-3', 'completed', 100)).toBeUndefined();
    expect(await orders.byId('order-1')).toEqual(moved);
    const twin = orderRow({ orderId: 'order-2' });
    await expect(orders.insert(twin, [])).rejects.toEqual(recordExists);
  });
}

function describeDeliveries(store: () => Store): void {
  it('keeps deliveries in the order of their lines, with the voucher bytes', async () => {
    const voucher = Uint8Array.from({ length: 256 }, (_, index) => index);
    const second = deliveryRow({ deliveryId: 'delivery-2', line: 1, voucher });
    await store().tables.orders.insert(orderRow(), [second, deliveryRow()]);
    expect(await store().tables.deliveries.ofOrder('order-1')).toEqual([deliveryRow(), second]);
  });

  it('gives empty bytes back as empty bytes', async () => {
    const voucher = new Uint8Array();
    await store().tables.orders.insert(orderRow(), [deliveryRow({ voucher })]);
    const [found] = await store().tables.deliveries.ofOrder('order-1');
    expect(found?.voucher).toEqual(new Uint8Array());
  });

  it('makes the deliveries of a paid order due, and no others', async () => {
    const { orders, deliveries } = store().tables;
    await orders.insert(orderRow(), [
      deliveryRow(),
      deliveryRow({ deliveryId: 'delivery-2', line: 1, state: 'failed' }),
    ]);
    await orders.insert(orderRow({ orderId: 'order-2', sessionId: 'session-2' }), [
      deliveryRow({ deliveryId: 'delivery-3', orderId: 'order-2' }),
    ]);
    await deliveries.release('order-1', 1000);
    expect(await deliveries.due(999, 10)).toEqual([]);
    const released = deliveryRow({ state: 'pending', nextAttemptAtMs: 1000 });
    expect(await deliveries.due(1000, 10)).toEqual([released]);
  });

  it('leases each due delivery to one of many workers, and again when the lease has ended', async () => {
    const rows = Array.from({ length: 20 }, (_, line) =>
      deliveryRow({
        deliveryId: `delivery-${line}`,
        line,
        state: 'pending',
        nextAttemptAtMs: line,
      }),
    );
    await store().tables.orders.insert(orderRow(), rows);
    const lease = (atMs: number, limit: number) =>
      store().write((tables) => tables.deliveries.lease({ atMs, untilMs: atMs + 100, limit }));
    const rivals = await Promise.all([1, 2, 3, 4].map(() => lease(14, 5)));
    const leased = rivals.flat();
    expect(new Set(leased.map(({ deliveryId }) => deliveryId)).size).toBe(leased.length);
    expect(
      leased.every(({ attempts, nextAttemptAtMs }) => attempts === 1 && nextAttemptAtMs === 114),
    ).toBe(true);
    // Nothing is skipped for long: what a rival was changing is left for the next call.
    leased.push(...(await lease(14, 20)));
    expect(leased).toHaveLength(15);
    expect(await store().tables.deliveries.due(113, 20)).toHaveLength(5);
    expect(await lease(114, 20)).toHaveLength(20);
    // The first holder comes back too late.
    const [row] = leased;
    expect(row && (await store().tables.deliveries.update(row, row))).toBe(false);
  });

  it('frees what is leased until a time, and leaves longer waits alone', async () => {
    const { tables } = store();
    const rows = [50, 90].map((nextAttemptAtMs, line) =>
      deliveryRow({ deliveryId: `delivery-${line}`, line, state: 'pending', nextAttemptAtMs }),
    );
    await tables.orders.insert(orderRow(), rows);
    await tables.partnerOrders.insert(partnerOrderRow({ nextLookAtMs: 50 }), []);
    await tables.settlements.insert(settlementRow({ createdAtMs: 9 }));
    const term = { atMs: 10, untilMs: 60 };
    const { deliveries, partnerOrders, settlements } = tables;
    for (const work of [deliveries, partnerOrders, settlements]) await work.free(term);
    expect(await deliveries.due(10, 9)).toMatchObject([{ deliveryId: 'delivery-0' }]);
    expect(await deliveries.due(90, 9)).toHaveLength(2);
    expect(await partnerOrders.due(10, 9)).toHaveLength(1);
    expect(await settlements.due(10, 9)).toMatchObject([{ attempts: 0 }]);
    // A later try is put off, and freed again.
    await settlements.putOff({ messageHash: 'message-1', attempts: 0 }, 40);
    expect(await settlements.due(39, 9)).toEqual([]);
    await settlements.free(term);
    expect(await settlements.due(10, 9)).toHaveLength(1);
  });

  it('leases payments of refunds, payments to be looked for, and chores, to one server', async () => {
    const { tables, write } = store();
    await tables.payouts.insert(openPayout('refund-1', 5));
    await tables.paymentRequests.insert(request, 10_060n);
    const term = { atMs: 3_000, untilMs: 4_000, limit: 9 };
    const rivals = await Promise.all(
      [1, 2].map(() =>
        write(async ({ payouts, paymentRequests, chores }) => ({
          payouts: await payouts.lease(term),
          requests: await paymentRequests.lease(term),
          chores: await chores.lease(term),
        })),
      ),
    );
    const all = {
      payouts: rivals.flatMap((one) => one.payouts),
      requests: rivals.flatMap((one) => one.requests),
      chores: rivals.flatMap((one) => one.chores),
    };
    expect(all).toMatchObject({
      payouts: [{ refundId: 'refund-1', nextAtMs: 4_000, version: 1 }],
      requests: [{ nextLookAtMs: 4_000 }],
      chores: [{ name: 'accounts' }],
    });
    const { payouts, paymentRequests, chores } = tables;
    const dueAt = async (atMs: number) => {
      const works = [payouts, paymentRequests, chores];
      const due = await Promise.all(works.map((work) => work.due(atMs, 9)));
      return due.map((rows) => rows.length);
    };
    expect(await dueAt(3_999)).toEqual([0, 0, 0]);
    expect(await dueAt(4_000)).toEqual([1, 1, 1]);
    for (const work of [payouts, paymentRequests, chores]) await work.free(term);
    expect(await dueAt(3_000)).toEqual([1, 1, 1]);
  });

  it('notes the server until it closes, and calls none dead that lives', async () => {
    const { tables, presence, write } = store();
    await write((writing) => presence.note(writing));
    await write((writing) => presence.note(writing));
    expect(await tables.servers.all()).toHaveLength(1);
    expect(await presence.dead(tables)).toEqual([]);
  });

  it('lets one of two workers move a delivery on', async () => {
    const { orders, deliveries } = store().tables;
    const before = deliveryRow({ state: 'pending' });
    await orders.insert(orderRow(), [before]);
    const after = {
      ...before,
      state: 'completed',
      attempts: 1,
      voucher: Uint8Array.of(7),
    } as const;
    expect(await deliveries.update(before, after)).toBe(true);
    expect(await deliveries.update(before, { ...after, state: 'failed' })).toBe(false);
    expect(await deliveries.ofOrder('order-1')).toEqual([after]);
  });
}

const AT_MS = 1_767_225_600_000;

/** An order of its own: id and address differ from those of any other number. */
function numbered(number: number, more: Partial<PartnerOrderRow> = {}): PartnerOrderRow {
  const orderId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return partnerOrderRow({ orderId, walletAddress: `owner-${number}`, ...more });
}

function describePartnerOrders(store: () => Store): void {
  it('gives a partner order back as it was, by id and by its key', async () => {
    const row = partnerOrderRow({ idempotencyKey: 'key-1' });
    const lines = [0, 1].map((line) =>
      deliveryRow({ deliveryId: `delivery-${line}`, orderId: row.orderId, line }),
    );
    const first = { atMs: 5, body: '{"order_state":"new"}' };
    await store().write((tables) => tables.partnerOrders.insert(row, lines, first));
    const { partnerOrders, deliveries, orderEvents } = store().tables;
    expect(await partnerOrders.byId(row.orderId)).toEqual(row);
    expect(await partnerOrders.byIdempotencyKey('shop-1', 'key-1')).toEqual(row);
    expect(await partnerOrders.byIdempotencyKey('shop-2', 'key-1')).toBeUndefined();
    expect(await deliveries.ofOrder(row.orderId)).toEqual(lines);
    const events = await orderEvents.since(row.orderId, 0);
    expect(events).toEqual([{ ...first, orderId: row.orderId, seq: 1, position: 1 }]);
    const next = { orderId: row.orderId, atMs: 6, body: '{}' };
    const added = await store().write((tables) => tables.orderEvents.append(next));
    expect(added).toEqual({ ...next, seq: 2, position: 2 });
  });

  it.each([
    ['address', { orderId: 'other', idempotencyKey: null }],
    ['idempotency key', { orderId: 'other', walletAddress: 'other' }],
    ['id', { walletAddress: 'other', idempotencyKey: null }],
  ])('refuses a second partner order with one %s', async (_name, more) => {
    const { partnerOrders } = store().tables;
    const row = partnerOrderRow({ idempotencyKey: 'key-1' });
    await partnerOrders.insert(row, []);
    await expect(partnerOrders.insert({ ...row, ...more }, [])).rejects.toEqual(recordExists);
  });

  it('takes one key of two partners, and orders without key or address', async () => {
    const { partnerOrders } = store().tables;
    await partnerOrders.insert(numbered(1, { idempotencyKey: 'key-1' }), []);
    const other = { applicationId: 'shop-2', idempotencyKey: 'key-1' };
    await partnerOrders.insert(numbered(2, other), []);
    await partnerOrders.insert(numbered(3, { walletAddress: null }), []);
    await partnerOrders.insert(numbered(4, { walletAddress: null }), []);
    expect(await partnerOrders.due(AT_MS, 10)).toHaveLength(4);
  });

  it('lists partner orders that are due, longest overdue first', async () => {
    const { partnerOrders } = store().tables;
    for (const [index, nextLookAtMs] of [30, 10, null, 20, 40].entries()) {
      await partnerOrders.insert(numbered(index, { nextLookAtMs }), []);
    }
    const due = await partnerOrders.due(30, 2);
    expect(due.map((row) => row.nextLookAtMs)).toEqual([10, 20]);
  });

  it('leases partner orders that are due, and puts off those that nothing changed', async () => {
    const { partnerOrders } = store().tables;
    for (const number of [0, 1, 2]) {
      await partnerOrders.insert(numbered(number, { nextLookAtMs: number }), []);
    }
    const leased = await store().write((tables) =>
      tables.partnerOrders.lease({ atMs: 1, untilMs: 50, limit: 10 }),
    );
    expect(leased.map(({ nextLookAtMs, version }) => [nextLookAtMs, version])).toEqual([
      [50, 1],
      [50, 1],
    ]);
    const [first] = leased;
    await partnerOrders.wake({ orderId: first?.orderId ?? '' }, 5);
    await store().write((tables) =>
      tables.partnerOrders.putOff(leased.map((row) => ({ ...row, nextLookAtMs: 90 }))),
    );
    await partnerOrders.putOff([]);
    const all = await Promise.all(
      [0, 1, 2].map((number) => partnerOrders.byId(numbered(number).orderId)),
    );
    const looks = all.map((row) => row?.nextLookAtMs);
    // The one that was woken stays due; its lease is over.
    expect(looks.toSorted((a, b) => Number(a) - Number(b))).toEqual([2, 5, 90]);
    await partnerOrders.putOff([{ ...numbered(2), version: 0, nextLookAtMs: null }]);
    expect((await partnerOrders.byId(numbered(2).orderId))?.nextLookAtMs).toBeNull();
  });

  it('makes partner orders due that are looked at later, by their addresses or one id', async () => {
    const { partnerOrders } = store().tables;
    for (const [index, nextLookAtMs] of [30, null, 5, 30, 30].entries()) {
      await partnerOrders.insert(
        numbered(index, { nextLookAtMs, walletAddress: `at-${index}` }),
        [],
      );
    }
    const before = await partnerOrders.byId(numbered(0).orderId);
    await partnerOrders.wake({ addresses: ['at-0', 'at-1', 'at-2', 'none'] }, 10);
    await partnerOrders.wake({ addresses: [] }, 10);
    await partnerOrders.wake({ orderId: numbered(3).orderId }, 10);
    const due = await partnerOrders.due(10, 10);
    expect(due.map((row) => row.walletAddress)).toEqual(['at-2', 'at-0', 'at-3']);
    // What was read before is not written over it.
    expect(before && (await partnerOrders.update(before, { ...before, version: 1 }))).toBe(false);
  });

  it('lets one of two writers move a partner order on', async () => {
    const { partnerOrders } = store().tables;
    const before = partnerOrderRow();
    await partnerOrders.insert(before, []);
    const paid = { orderState: 'WaitingForDelivery', paymentState: 'PaymentReceived' } as const;
    const after = { ...before, ...paid, receivedAtomic: '25250000', version: 1 };
    expect(await partnerOrders.update(before, after)).toBe(true);
    expect(await partnerOrders.update(before, { ...after, receivedAtomic: '1' })).toBe(false);
    expect(await partnerOrders.byId(before.orderId)).toEqual(after);
  });

  it('counts what an address spent, orders that were paid alone', async () => {
    const { partnerOrders } = store().tables;
    const paid = { orderState: 'Done', paymentState: 'PaymentReceived' } as const;
    await partnerOrders.insert(numbered(1, paid), []);
    await partnerOrders.insert(numbered(2, { ...paid, createdAtMs: AT_MS - 1 }), []);
    await partnerOrders.insert(numbered(3, { ...paid, orderState: 'Refunded' }), []);
    await partnerOrders.insert(numbered(4), []);
    await partnerOrders.insert(numbered(5, { ...paid, email: 'bob@example.com' }), []);
    const spent = await partnerOrders.paidBy('ann@example.com', AT_MS);
    expect(spent).toEqual([{ createdAtMs: AT_MS, valueUsd: '25000000' }]);
  });

  it('counts a coupon while its order is open or paid', async () => {
    const { partnerOrders } = store().tables;
    const couponCode = 'SAVE10';
    await partnerOrders.insert(numbered(1, { couponCode }), []);
    await partnerOrders.insert(numbered(2, { couponCode, email: 'bob@example.com' }), []);
    const expired = { orderState: 'Expired', paymentState: 'Expired', couponCode } as const;
    await partnerOrders.insert(numbered(3, expired), []);
    await partnerOrders.insert(numbered(4, { couponCode: 'OTHER' }), []);
    const used = await partnerOrders.couponUse(couponCode, 'ann@example.com');
    expect(used).toEqual({ total: 2, byCustomer: 1 });
  });

  it('counts orders that closed, and those that nobody paid for', async () => {
    const { partnerOrders, facts } = store().tables;
    const expired = { orderState: 'Expired', paymentState: 'Expired' } as const;
    const held = { ...expired, paymentState: 'ExpiredAfterPaymentDetection' } as const;
    await partnerOrders.insert(numbered(1, { ...expired, closedAtMs: 10 }), []);
    await partnerOrders.insert(numbered(2, { ...expired, closedAtMs: 11 }), []);
    await partnerOrders.insert(numbered(3, { ...held, closedAtMs: 12, receivedAtomic: '5' }), []);
    await partnerOrders.insert(numbered(4, { createdAtMs: AT_MS + 5 }), []);
    await facts.set('of shop-1', 'noted');
    const counts = [
      await partnerOrders.closedSince('shop-1', 10, 'of shop-1'),
      await partnerOrders.closedSince('shop-2', 0, 'of shop-2'),
    ];
    expect(counts).toEqual([
      { closed: 2, unpaid: 1, fact: 'noted' },
      { closed: 0, unpaid: 0, fact: undefined },
    ]);
    expect(await partnerOrders.lastCreatedAtMs('shop-1')).toBe(AT_MS + 5);
    expect(await partnerOrders.lastCreatedAtMs('shop-2')).toBeUndefined();
  });
}

function describeEvents(store: () => Store): void {
  it('numbers the events of each order from 1, and all events together', async () => {
    const { orderEvents } = store().tables;
    for (const orderId of ['a', 'b', 'a']) {
      await store().write((tables) => tables.orderEvents.append({ orderId, atMs: 5, body: '{}' }));
    }
    const places = (await orderEvents.after(0, 10)).map(({ position, orderId, seq }) => [
      position,
      orderId,
      seq,
    ]);
    expect(places).toEqual([
      [1, 'a', 1],
      [2, 'b', 1],
      [3, 'a', 2],
    ]);
    expect(await orderEvents.since('a', 1)).toMatchObject([{ seq: 2, atMs: 5, body: '{}' }]);
    expect(await orderEvents.at('b', 1)).toMatchObject({ position: 2 });
    expect(await orderEvents.at('b', 2)).toBeUndefined();
    expect([await orderEvents.latestSeq('a'), await orderEvents.latestSeq('c')]).toEqual([2, 0]);
    expect(await orderEvents.latestPosition()).toBe(3);
    expect(await orderEvents.after(1, 1)).toMatchObject([{ position: 2 }]);
  });

  it('numbers events of writers at once without gap or double', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store().write(async ({ orderEvents, holds }) => {
          await holds.take('order a');
          await orderEvents.append({ orderId: 'a', atMs: 5, body: '{}' });
        }),
      ),
    );
    const seqs = (await store().tables.orderEvents.since('a', 0)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('holds a webhook until one sender has delivered it', async () => {
    const { outbox } = store().tables;
    const row = webhookRow({});
    await outbox.insert(row);
    await expect(outbox.insert(row)).rejects.toEqual(recordExists);
    expect(await outbox.due(9, 10)).toEqual([]);
    expect(await outbox.due(10, 10)).toEqual([row]);
    const sent = { ...row, attempts: 1, state: 'delivered', lastError: null } as const;
    expect(await outbox.update(row, sent)).toBe(true);
    expect(await outbox.update(row, { ...sent, state: 'dead', lastError: 'no' })).toBe(false);
    expect(await outbox.byId('msg_1')).toEqual(sent);
    expect(await outbox.due(10, 10)).toEqual([]);
    expect(await outbox.byState('delivered', 10)).toEqual([sent]);
  });

  it('leases the webhooks of an order one after another', async () => {
    const { outbox } = store().tables;
    await outbox.insert(webhookRow({}));
    await outbox.insert(webhookRow({ webhookId: 'msg_2', seq: 2 }));
    await outbox.insert(webhookRow({ webhookId: 'msg_3', orderId: 'b' }));
    const lease = (atMs: number) =>
      store().write((tables) => tables.outbox.lease({ atMs, untilMs: atMs + 30, limit: 10 }));
    const [first, second] = await Promise.all([lease(10), lease(10)]);
    const leased = [...first, ...second].toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
    expect(leased).toEqual([
      webhookRow({ attempts: 1, nextAttemptAtMs: 40 }),
      webhookRow({ webhookId: 'msg_3', orderId: 'b', attempts: 1, nextAttemptAtMs: 40 }),
    ]);
    for (const row of leased) await outbox.update(row, { ...row, state: 'delivered' });
    expect(await lease(11)).toMatchObject([{ webhookId: 'msg_2' }]);
  });
}

function describeClaims(store: () => Store): void {
  it('returns the first claim to a second one on the same message', async () => {
    const { claims } = store().tables;
    expect(await claims.claim(claimRow())).toMatchObject(claimRow());
    const second = claimRow({ transaction: 'transaction-2', createdAtMs: 9 });
    expect(await claims.claim(second)).toMatchObject(claimRow());
    const failed = claimRow({ state: 'failed', reason: 'it did' });
    expect(await claims.decide('message-1', { state: 'failed', reason: 'it did' })).toMatchObject(
      failed,
    );
    expect(await claims.decide('message-1', { state: 'landed', reason: null })).toMatchObject(
      failed,
    );
    expect(await claims.byMessage('message-1')).toMatchObject(failed);
    expect(await claims.decide('message-2', { state: 'landed', reason: null })).toBeUndefined();
  });

  it('refuses one transaction for two messages', async () => {
    await store().tables.claims.claim(claimRow());
    const other = claimRow({ messageHash: 'message-2' });
    await expect(store().tables.claims.claim(other)).rejects.toEqual(recordExists);
  });

  it('has one transaction of a fee account for each message and each nonce', async () => {
    const { feeTransactions } = store().tables;
    const row = (messageHash: string, nonce: number, account = 'account-1') => ({
      ...{ messageHash, account, nonce, transaction: `${messageHash} ${nonce}`, wire: 'AQ==' },
      createdAtMs: 5,
    });
    const rows = [row('a', 1), row('b', 1), row('a', 2), row('b', 2), row('c', 1, 'account-2')];
    const added = await Promise.all(rows.map((one) => feeTransactions.add(one)));
    expect(added).toEqual([true, false, false, true, true]);
    expect(await feeTransactions.from('account-1', 1)).toEqual([row('a', 1), row('b', 2)]);
    expect(await feeTransactions.from('account-1', 2)).toEqual([row('b', 2)]);
    expect(await feeTransactions.replace(row('a', 2), 1)).toBe(false);
    expect(await feeTransactions.replace(row('a', 3), 2)).toBe(false);
    expect(await feeTransactions.replace(row('a', 3), 1)).toBe(true);
    expect(await feeTransactions.byMessage('a')).toEqual(row('a', 3));
  });

  it('keeps where a claim landed, if its transaction was not known before', async () => {
    const { claims } = store().tables;
    await claims.claim(claimRow());
    const outcome = { state: 'landed', reason: null, landedIn: '0xabc' } as const;
    expect(await claims.decide('message-1', outcome)).toMatchObject(claimRow(outcome));
  });

  it('replaces a purchase by its reference', async () => {
    const { purchases } = store().tables;
    await purchases.put(purchaseRow());
    await purchases.put(purchaseRow({ attempts: 2, voucher: null, outcome: 'refused' }));
    expect(await purchases.count()).toBe(1);
    expect(await purchases.byReference('delivery-1')).toEqual(
      purchaseRow({ attempts: 2, voucher: null, outcome: 'refused' }),
    );
  });

  it('keeps the first value of a fact that exists once', async () => {
    const { facts } = store().tables;
    expect(await facts.get('seed')).toBeUndefined();
    expect(await facts.once('seed', 'a')).toBe('a');
    expect(await facts.once('seed', 'b')).toBe('a');
    await facts.set('seed', 'c');
    expect(await facts.get('seed')).toBe('c');
  });
}

function describeChain(store: () => ChainStore): void {
  it('keeps accounts with 64-bit balances, and finds them by owner', async () => {
    const { chain } = store().tables;
    const account = {
      address: 'address-1',
      lamports: '18446744073709551615',
      owner: 'program-1',
      data: Uint8Array.of(0, 255),
      executable: false,
    };
    const program = { ...account, address: 'address-2', owner: 'loader', executable: true };
    expect(await chain.addAccounts(account)).toBe(true);
    const [changed, absent] = [
      { ...account, lamports: '1' },
      { ...account, address: 'address-0' },
    ];
    expect(await chain.addAccounts(changed, { ...absent, owner: 'program-0' })).toBe(false);
    expect((await chain.account('address-0'))?.owner).toBe('program-0');
    await chain.putAccount({ ...program, lamports: '1' });
    await chain.putAccount(program);
    expect(await chain.account('address-2')).toEqual(program);
    expect(await chain.accounts(['address-1', 'address-3'])).toEqual([account]);
    expect(await chain.accounts([])).toEqual([]);
    expect(await chain.ownedBy('program-1')).toEqual([account]);
    await chain.removeAccount('address-1');
    expect(await chain.account('address-1')).toBeUndefined();
  });

  it('refuses a second transaction with one signature or one message', async () => {
    const { chain } = store().tables;
    const row = chainTransactionRow();
    await chain.putTransaction(row, ['a']);
    for (const more of [{ signature: 'signature-2' }, { messageHash: 'message-2' }]) {
      await expect(chain.putTransaction({ ...row, ...more }, ['a'])).rejects.toEqual(recordExists);
    }
    expect(await chain.transaction('signature-1')).toEqual(row);
    expect(await chain.outcomeOf(row.signature)).toEqual({ slot: row.slot, error: row.error });
    expect(await chain.outcomeOf('another')).toBeUndefined();
    expect(await chain.hasMessage('message-1')).toBe(true);
    expect(await chain.hasMessage('another')).toBe(false);
    expect(await chain.transactionCount()).toBe(1);
    await chain.putTransaction({ ...row, signature: 'signature-2', messageHash: 'message-2' }, []);
    const numbers = (await chain.transactionsAfter(0, 5)).map(({ position }) => position);
    expect(numbers).toEqual([1, 2]);
  });

  it('pages through the signatures of an address, newest first', async () => {
    const { chain } = store().tables;
    for (let index = 1; index <= 6; index += 1) {
      await chain.putTransaction(
        chainTransactionRow({
          signature: `signature-${index}`,
          messageHash: `message-${index}`,
          slot: 100 + index,
        }),
        index === 4 ? ['other'] : ['mine', 'mine', 'other'],
      );
    }
    const page = async (more: { before?: string; until?: string; maxSlot?: number }) =>
      (await chain.signaturesOf('mine', { limit: 3, ...more })).map((row) =>
        Number(row.signature.slice('signature-'.length)),
      );
    expect(await page({})).toEqual([6, 5, 3]);
    expect(await page({ before: 'signature-3' })).toEqual([2, 1]);
    expect(await page({ until: 'signature-3' })).toEqual([6, 5]);
    expect(await page({ before: 'signature-6', until: 'signature-2' })).toEqual([5, 3]);
    expect(await page({ before: 'signature-4' })).toEqual([3, 2, 1]);
    expect(await page({ maxSlot: 105 })).toEqual([5, 3, 2]);
    expect(await page({ before: 'unknown' })).toEqual([]);
    expect(await page({ until: 'unknown' })).toEqual([6, 5, 3]);
  });
}

function wizardRow(more: Partial<WizardSessionRow> = {}): WizardSessionRow {
  return {
    tokenHash: 'cd'.repeat(32),
    client: 'client-1',
    applicationId: 'agent',
    answers: '{}',
    version: 0,
    createdAtMs: 1_767_225_600_000,
    lastUsedAtMs: 1_767_225_600_000,
    ...more,
  };
}

function describeWizardSessions(store: () => Store): void {
  it('finds a guided purchase by its token, and moves it on once per version', async () => {
    const { wizardSessions } = store().tables;
    const row = wizardRow();
    await wizardSessions.insert(row);
    await expect(wizardSessions.insert(row)).rejects.toEqual(recordExists);
    const after = { ...row, answers: '{"country":"US"}', version: 1, lastUsedAtMs: 9e12 };
    expect(await wizardSessions.update(row, after)).toBe(true);
    expect(await wizardSessions.update(row, { ...after, answers: '{}' })).toBe(false);
    expect(await wizardSessions.byToken(row.tokenHash)).toEqual(after);
    expect(await wizardSessions.byToken('unknown')).toBeUndefined();
  });

  it('tells the guided purchases of a client, longest unused first, and forgets old ones', async () => {
    const { wizardSessions } = store().tables;
    for (const [tokenHash, lastUsedAtMs, client] of [
      ['c', 30, 'client-1'],
      ['a', 10, 'client-1'],
      ['b', 20, 'client-1'],
      ['other', 20, 'client-2'],
    ] as const) {
      await wizardSessions.insert(wizardRow({ tokenHash, lastUsedAtMs, client }));
    }
    const hashes = async (sinceMs: number) =>
      (await wizardSessions.usedSince('client-1', sinceMs)).map((row) => row.tokenHash);
    expect(await hashes(10)).toEqual(['b', 'c']);
    await wizardSessions.forget(20);
    expect(await hashes(0)).toEqual(['c']);
    expect(await wizardSessions.byToken('other')).toBeUndefined();
  });
}

function describeWrites(store: () => Store): void {
  it('takes back all of a write that throws', async () => {
    const broken = store().write(async (tables) => {
      await tables.sessions.insert(sessionRow());
      await tables.facts.set('seed', 'a');
      throw new ScripError('INTERNAL', t`on purpose`);
    });
    await expect(broken).rejects.toMatchObject({ message: 'on purpose' });
    expect(await store().tables.sessions.byId('session-1')).toBeUndefined();
    expect(await store().tables.facts.get('seed')).toBeUndefined();
  });

  it('undoes what was begun beside a failure, also what had waited for its turn', async () => {
    await store().tables.sessions.insert(sessionRow());
    const names = ['one', 'two', 'three'];
    const write = store().write(({ sessions, facts }) =>
      Promise.all([sessions.insert(sessionRow()), ...names.map((name) => facts.set(name, '1'))]),
    );
    await expect(write).rejects.toMatchObject({ code: 'RECORD_EXISTS' });
    await store().tables.facts.set('after', '1');
    const read = await Promise.all(names.map((name) => store().tables.facts.get(name)));
    expect(read).toEqual([undefined, undefined, undefined]);
  });

  it('goes on after a write that ran into a constraint', async () => {
    await store().tables.sessions.insert(sessionRow());
    const broken = store().write((tables) => tables.sessions.insert(sessionRow()));
    await expect(broken).rejects.toEqual(recordExists);
    await store().write((tables) => tables.facts.set('seed', 'a'));
    expect(await store().tables.facts.get('seed')).toBe('a');
  });

  it('runs writes that take one name one after another, each on what the last one left', async () => {
    const results = await Promise.all(
      Array.from({ length: 25 }, () =>
        store().write(async ({ facts, holds }) => {
          await holds.take('fact counter');
          return increment(facts);
        }),
      ),
    );
    expect(results.toSorted((a, b) => a - b)).toEqual(results.map((_, index) => index + 1));
    expect(await store().tables.facts.get('counter')).toBe('25');
  });
}
