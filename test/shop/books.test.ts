/** The books of a shop against its nodes and its file of codes. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import type { SalesBy } from '../../src/domain/operator/operator.ts';
import type { SaleLineRecord } from '../../src/domain/operator/operator-records.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { encodeLine } from '../../src/service/checkout/line.ts';
import type { Supplier } from '../../src/service/delivery/supplier.ts';
import { createRefundAdmin } from '../../src/service/refunds/refund-admin.ts';
import {
  type Accounts,
  createAccounts,
  createMaintenance,
  ownerAt,
  solanaReceiving,
} from '../../src/shop/accounts.ts';
import { auditShop, spareIn } from '../../src/shop/books.ts';
import { codeLedger, createCodeFile } from '../../src/shop/code-file.ts';
import { noteFees, recordSales, saleLinesOf, salesOf } from '../../src/shop/sales.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { type LiveChain, liveChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';
import { GOODS, SOLD } from '../support/sold-line.ts';
import {
  deliveryRow,
  orderRow,
  partnerOrderRow,
  refundRow,
  sessionRow,
  settlementRow,
} from '../support/store-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TREASURY = STRANGER.address;
const BUYER = signerFromSeed(new Uint8Array(32).fill(41));
const REFUNDS = signerFromSeed(new Uint8Array(32).fill(42));
const PRICE = 25_250_000n;
const LATE = 5_000_000n;
const KEY = new Uint8Array(32).fill(1);
const ORDER = '00000000-0000-4000-8000-00000000000a';
const EXPIRED = '00000000-0000-4000-8000-00000000000b';
const draw = (purpose: string) => createHmac('sha256', 'seed').update(purpose).digest();

describe.each(ENGINES)('the books of a shop on %s', (engine) => {
  let clock: ManualClock;
  let store: Store;
  let foreign: Store;
  let live: LiveChain;
  let chain: LiveChain['chain'];
  let rpc: SolanaRpc;
  let accounts: Accounts;
  let supplier: Supplier;
  let opened: EmptyStore;
  let folder: string;
  let path: string;

  beforeEach(async () => {
    clock = skippingClock();
    opened = await emptyStore(engine);
    store = opened.store;
    foreign = await openSqliteStore(':memory:');
    live = await liveChain(clock);
    ({ chain, rpc } = live);
    for (const { address } of [FEE_PAYER, BUYER]) await chain.airdrop(address, 1_000_000_000n);
    for (const { address } of [BUYER, REFUNDS]) await chain.fundUsdc(address, 1_000_000_000n);
    await chain.openForPayments(TREASURY);
    const shared = { store, clock, report: () => undefined };
    const made = createAccounts({
      ...{ ...shared, treasury: TREASURY, transfers: live.transfersOf(store) },
      rail: solanaReceiving({ rpc, clock, draw, feePayer: FEE_PAYER }),
      limits: { most: 10, spare: 0, lateMs: 3_600_000, mostADay: 100 },
    });
    accounts = { ...made, maintain: createMaintenance(shared, [made]) };
    folder = tempFolder();
    path = join(folder, 'codes.jsonl');
    const codes = ['A-1', 'A-2', 'A-3'].map((voucher_code) =>
      JSON.stringify({
        ...{ product_id: SOLD.product.productId, face_value: '25', voucher_code },
        ...(voucher_code === 'A-1' && { cost: { amount: '16', currency: 'EUR' } }),
      }),
    );
    writeFileSync(path, codes.join('\n'), { mode: 0o600 });
    supplier = createCodeFile({ path, store, key: KEY });
  });
  afterEach(() => Promise.all([opened.remove(), foreign.close(), live.close()]));

  const send = (of: Store, owner: Signer, payTo: string, amountAtomic: bigint) =>
    live.send(of, owner, payTo, amountAtomic);
  const pay = (payTo: string, amountAtomic: bigint) => send(foreign, BUYER, payTo, amountAtomic);
  const line = (orderId: string, deliveryId: string, goods = GOODS) =>
    deliveryRow({
      ...{ orderId, deliveryId, goods, beneficiary: SOLD.beneficiary },
      state: 'completed',
    });

  /** An order of each surface that is sold, one that was paid in part and is refunded; all is swept. */
  async function trade(asked = PRICE, goods = GOODS): Promise<void> {
    const owners = {
      session: TREASURY,
      sold: await accounts.lease(`order ${ORDER}`),
      expired: await accounts.lease(`order ${EXPIRED}`),
    };
    const paid = {
      session: await pay(owners.session, PRICE),
      sold: await pay(owners.sold, PRICE),
      expired: await pay(owners.expired, LATE),
    };
    for (const reference of ['line-1', 'line-2']) await supplier.fulfil(reference, SOLD);
    await chain.openForPayments(BUYER.address);
    const refunded = await send(store, REFUNDS, BUYER.address, LATE);
    const nowMs = clock.now();
    const partner = { updatedAtMs: nowMs, nextLookAtMs: null, closedAtMs: nowMs };
    await store.write(async (tables) => {
      await tables.sessions.insert(
        sessionRow({
          ...{ payTo: owners.session, amountAtomic: asked.toString() },
          destination: 'shared session-1',
        }),
      );
      await tables.settlements.insert(
        settlementRow({
          ...{ state: 'settled', transaction: paid.session, settledAtMs: nowMs },
          createdAtMs: nowMs,
        }),
      );
      await tables.orders.insert(orderRow({ status: 'completed' }), [line('order-1', 'line-1')]);
      await tables.partnerOrders.insert(
        partnerOrderRow({
          ...{ orderId: ORDER, orderState: 'Done', paymentState: 'PaymentReceived', ...partner },
          ...{ receivedAtomic: PRICE.toString(), seenAtomic: PRICE.toString() },
          ...{ walletAddress: owners.sold, transactions: JSON.stringify([paid.sold]) },
        }),
        [line(ORDER, 'line-2', goods)],
      );
      await tables.partnerOrders.insert(
        partnerOrderRow({
          ...{ orderId: EXPIRED, orderState: 'Refunded', ...partner },
          paymentState: 'ExpiredAfterPaymentDetection',
          ...{ receivedAtomic: LATE.toString(), seenAtomic: LATE.toString() },
          ...{ walletAddress: owners.expired, transactions: JSON.stringify([paid.expired]) },
        }),
        [],
      );
      const late = { refundId: 'late', orderId: EXPIRED, createdAtMs: nowMs };
      await tables.refunds.record(
        refundRow({ ...late, amountAtomic: LATE.toString(), recipient: BUYER.address }),
      );
      const payout = await tables.payouts.byRefund('late');
      const sent = { state: 'sent', transaction: refunded, nextAtMs: null } as const;
      if (payout) await tables.payouts.update(payout, sent);
    });
    for (let pass = 0; pass < 8; pass += 1) {
      await accounts.maintain();
      clock.advance(5_000);
    }
    // Long after all of it.
    clock.advance(24 * 3_600_000);
  }

  const placeOf = (witness: SolanaRpc = rpc) => ({
    rail: live.shopRail(store, { witness }),
    ...{ refundWallet: REFUNDS.address, treasury: TREASURY, feePayer: FEE_PAYER.address },
    ownerAt: (position: number) => ownerAt(draw, position).address,
  });
  const audit = (witness?: SolanaRpc, sinceMs?: number) =>
    auditShop({
      ...{ store, places: [placeOf(witness)] },
      supplierLedger: ({ facts }) => codeLedger({ path, key: KEY }, facts),
      ...{ sinceMs, nowMs: clock.now() },
    });
  const found = async (witness?: SolanaRpc) =>
    (await audit(witness)).mismatches.map(({ kind, order_id: id, found: what }) => [
      kind,
      id,
      what,
    ]);

  it('agree where all was paid, delivered, swept and refunded', async () => {
    await trade();
    const asked = { deliveryId: 'line-1', amount: '16', currency: 'EUR' };
    await store.tables.sales.noteCost(asked);
    const report = await audit();
    expect(report.mismatches).toEqual([]);
    expect(report).toMatchObject({
      agrees: true,
      open: 0,
      checked: {
        ...{ transfers: 3, settlements: 1, partner_orders: 2 },
        ...{ lines: 2, purchases: 2, refunds: 1 },
      },
    });
    expect(report.money?.map(({ what, coin, books, found }) => [what, coin, books, found])).toEqual(
      [
        ['partner_orders', 'USDC', '30.25', '30.25'],
        ['checkout_orders', 'USDC', '25.25', '25.25'],
        ['swept', 'USDC', '30.25', '30.25'],
        ['receiving_accounts', 'USDC', '0', '0'],
        ['treasury', 'USDC', null, '55.5'],
        ['refund_wallet', 'USDC', null, '995'],
        ['fee_account', 'SOL', null, expect.stringMatching(/^0\.9/)],
        ['purchases', 'EUR', '16', '16'],
        ['refunds', 'USDC', '5', '5'],
      ],
    );
    const left = await Promise.all(
      (await store.tables.receivingAccounts.all(SOLANA_MAINNET)).map(({ owner }) =>
        rpc.tokenAccountBalance(associatedTokenAddress(owner, USDC_MINT)),
      ),
    );
    // Closed: the rent is back.
    expect(left).toEqual([null, null]);
  });

  it('are summed up for an accountant by what is asked, each order under a receipt number', async () => {
    const { brand } = SOLD.product;
    const product = { ...SOLD.product, brand: { ...brand, currency: 'EUR', countryCode: 'de' } };
    await trade(PRICE, encodeLine({ ...SOLD, product, rate: '1250000000000' }));
    const back = { orderId: ORDER, amountAtomic: '250000', createdAtMs: clock.now() };
    // What was paid too much was never sold.
    for (const cause of ['rest', 'excess']) {
      const refund = refundRow({ ...back, refundId: `${ORDER} ${cause}` });
      await store.write(({ refunds }) => refunds.record(refund));
    }
    const { sales } = store.tables;
    await sales.noteCost({ deliveryId: 'line-1', amount: '20.5', currency: 'PLN' });
    for (const amount of ['16', '17']) {
      await sales.noteCost({ deliveryId: 'line-2', amount, currency: 'EUR' });
    }
    for (const since of [undefined, 0]) await recordSales(store, since);
    await noteFees(store, { rails: [placeOf().rail], clock });
    const period = { sinceMs: 0, untilMs: clock.now() + 1 };
    const told = async (by: SalesBy, more: Partial<typeof period> = {}) => {
      const records = await salesOf(store, { ...period, by, ...more });
      return records.map((row) => [
        ...[row.is_total ? 'all' : (row.name ?? row.key), row.coin, row.lines, row.gross],
        ...[row.refunds, row.cost, row.margin, row.cost_unknown, row.sweeps, row.refunds_due],
      ]);
    };
    const all = [
      ['all', 'SOL', 0, '0', '0', null, null, 0, '0', '0'],
      ['all', 'USDC', 2, '50.5', '0.25', '20', null, 1, '30.25', '0.5'],
    ];
    expect(await told('partner')).toEqual([
      [null, 'SOL', 0, '0', '0', null, null, 0, '0', null],
      [null, 'USDC', 0, '0', '0', null, null, 0, '30.25', null],
      ['checkout', 'USDC', 1, '25.25', '0', null, null, 1, '0', null],
      ['shop-1', 'USDC', 1, '25.25', '0.25', '20', '5', 0, '0', null],
      ...all,
    ]);
    expect((await told('country')).slice(2)).toEqual([
      ['de', 'USDC', 1, '25.25', '0.25', '20', '5', 0, '0', null],
      ['us', 'USDC', 1, '25.25', '0', null, null, 1, '0', null],
      ...all,
    ]);
    const nextDay = Date.parse('2026-01-02');
    expect(await told('day', { sinceMs: nextDay })).toEqual([
      ['2026-01-02', 'USDC', 0, '0', '0.25', null, null, 0, '0', null],
      ['all', 'USDC', 0, '0', '0.25', null, null, 0, '0', '0.5'],
    ]);
    const lines = await saleLinesOf(store, period);
    // Several were signed in one moment.
    const listed = [...lines.slice(0, 3), ...lines.slice(3).toSorted(byKind)];
    expect(
      listed.map(({ kind, receipt, amount, coin, rate, cost }) =>
        [kind, receipt, coin === 'SOL' ? coin : amount, rate, cost].join(' '),
      ),
    ).toEqual([
      ...['sale 1 25.25 1.25 16', 'sale 2 25.25  20.5', 'refund 1 0.25 1.25 '],
      ...['fee  SOL  ', 'fee  SOL  ', 'fee  SOL  ', 'sweep  25.25  ', 'sweep  5  '],
    ]);
    const [, sold] = lines;
    expect(sold?.transaction).toBe(
      (await store.tables.settlements.bySession('session-1'))?.transaction,
    );
  });

  it.each([
    ['its order is held for a person', undefined, '25.25', null],
    ['what came above the price is owed back', { cause: 'excess', line: null }, '25.25', '0.25'],
    ['it is owed back', { cause: 'line 0', line: 0 }, '0', '0.25'],
    ['all of its order is owed back', { cause: 'rest', line: null }, '0', '0.25'],
  ])('count a refused line as not delivered while %s', async (_, refund, undelivered, due) => {
    const paid = { paymentState: 'PaymentReceived', updatedAtMs: clock.now() } as const;
    const held = {
      ...paid,
      orderState: 'WaitingForManualAction',
      closedAtMs: clock.now(),
    } as const;
    const owed = { orderId: ORDER, amountAtomic: '250000', createdAtMs: clock.now() };
    await store.write(async ({ partnerOrders, refunds }) => {
      const failed = { ...line(ORDER, 'line-2'), state: 'failed' } as const;
      await partnerOrders.insert(partnerOrderRow({ orderId: ORDER, ...held }), [failed]);
      if (refund) {
        const { cause, line: at } = refund;
        await refunds.record(refundRow({ ...owed, refundId: `${ORDER} ${cause}`, line: at }));
      }
    });
    await recordSales(store);
    const all = await salesOf(store, { sinceMs: 0, untilMs: clock.now() + 1, by: 'day' });
    expect(all.at(-1)).toMatchObject({ is_total: true, undelivered, refunds_due: due ?? '0' });
  });

  const byKind = (one: SaleLineRecord, other: SaleLineRecord) =>
    `${one.kind} ${one.amount}` < `${other.kind} ${other.amount}` ? -1 : 1;

  const operator = () =>
    createRefundAdmin({
      ...{ store, clock, who: 'ann', sendsOn: () => true, rails: async () => [placeOf().rail] },
      spareIn: (transaction) => spareIn(store, placeOf(), transaction),
    });

  it('no longer name what came above the price once it is given back by hand', async () => {
    const more = 1_000_000n;
    await trade(PRICE - more);
    const [finding] = (await audit()).mismatches;
    expect(finding).toMatchObject({ kind: 'amount_differs', order_id: 'order-1' });
    const brought = finding?.subject ?? '';
    expect(finding?.todo).toContain(`refunds mark-paid ${brought} --transaction`);
    const all = await send(foreign, STRANGER, BUYER.address, PRICE);
    const back = await send(foreign, STRANGER, BUYER.address, more);
    clock.advance(60_000);
    await expect(operator().markPaid(brought, all, BUYER.address)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    expect(await operator().markPaid(brought, back, BUYER.address)).toMatchObject({
      ...{ refund_id: brought, amount: '1', state: 'sent', transaction: back },
    });
    expect(await found()).toEqual([]);
  });

  it('name what came below the price, for which nothing is given back', async () => {
    await trade(PRICE + 1n);
    const [finding] = (await audit()).mismatches;
    expect(finding).toMatchObject({ kind: 'amount_differs', found: '25.25 USDC' });
    const back = await send(foreign, STRANGER, BUYER.address, 1n);
    clock.advance(60_000);
    await expect(
      operator().markPaid(finding?.subject ?? '', back, BUYER.address),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('no longer name money that paid no order once it is given back by hand', async () => {
    await trade();
    const [row] = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    const brought = await pay(row?.owner ?? '', LATE);
    const [sold] = JSON.parse(
      (await store.tables.partnerOrders.byId(ORDER))?.transactions ?? '[]',
    ) as string[];
    clock.advance(600_000);
    // A second payment of an order that is delivered.
    expect(await found()).toEqual([['payment_without_order', ORDER, '5 USDC']]);
    const admin = operator();
    const back = await send(foreign, STRANGER, BUYER.address, LATE);
    const less = await send(foreign, STRANGER, BUYER.address, LATE - 1n);
    clock.advance(60_000);
    const refused = { code: 'INPUT_INVALID' };
    // Money of an order, a transfer that brought the shop nothing, too little, no address.
    await expect(admin.markPaid(sold ?? '', back, BUYER.address)).rejects.toMatchObject(refused);
    await expect(admin.markPaid(less, back, BUYER.address)).rejects.toMatchObject(refused);
    await expect(admin.markPaid(brought, less, BUYER.address)).rejects.toMatchObject(refused);
    await expect(admin.markPaid(brought, back)).rejects.toMatchObject(refused);
    expect(await admin.markPaid(brought, back, BUYER.address)).toMatchObject({
      ...{ refund_id: brought, order_id: null, amount: '5', recipient: BUYER.address },
      ...{ state: 'sent', transaction: back },
    });
    expect(await found()).toEqual([]);
    expect(await admin.list('waiting', 5)).toEqual([]);
    await expect(admin.markPaid(brought, back, BUYER.address)).rejects.toMatchObject(refused);
  });

  // What follows does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('name money that paid no order, also at an account that the records forgot', async () => {
    await trade();
    const [row] = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    const beyond = signerFromSeed(draw('receive 7')).address;
    await chain.openForPayments(beyond);
    await pay(row?.owner ?? '', 1_000_000n);
    await pay(beyond, 2_000_000n);
    expect(await found()).toEqual([]);
    clock.advance(600_000);
    expect(await found()).toEqual([
      ['payment_without_order', ORDER, '1 USDC'],
      ['payment_without_order', null, '2 USDC'],
    ]);
  });

  it('read nothing from before the first record', async () => {
    const beganMs = clock.now();
    await trade();
    const place = placeOf();
    const asked: number[] = [];
    const histories: typeof place.rail.histories = (owner, sinceMs) => {
      asked.push(sinceMs);
      return place.rail.histories(owner, sinceMs);
    };
    const report = await auditShop({
      ...{ store, places: [{ ...place, rail: { ...place.rail, histories } }] },
      supplierLedger: ({ facts }) => codeLedger({ path, key: KEY }, facts),
      nowMs: clock.now(),
    });
    expect([report.mismatches, Math.min(...asked) >= beganMs - 3_600_000]).toEqual([[], true]);
  });

  it('since a time read and judge nothing older, and say what they left out', async () => {
    await trade();
    await store.write(async ({ partnerOrders }) => {
      const row = await partnerOrders.byId(ORDER);
      if (row) await partnerOrders.update(row, { ...row, receivedAtomic: '1' });
    });
    const [row] = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    await pay(row?.owner ?? '', 1_000_000n);
    clock.advance(600_000);
    const sinceMs = clock.now() - 3_600_000;
    const report = await audit(rpc, sinceMs);
    expect(report.mismatches.map(({ kind, found: what }) => [kind, what])).toEqual([
      ['payment_without_order', '1 USDC'],
    ]);
    expect(report.checked).toMatchObject({ transactions: 1, partner_orders: 0, lines: 0 });
    expect(report.not_checked).toEqual({
      ...{ before: new Date(sinceMs).toISOString(), settlements: 1 },
      ...{ partner_orders: 2, lines: 2, refunds: 1 },
    });
    const all = await audit();
    expect(all.not_checked).toBeNull();
    expect(all.mismatches.map(({ kind }) => kind)).toContain('payment_undecided');
  });

  it('name what came to the treasury for a sale that is not on record, and none of its other business', async () => {
    await trade();
    // An older copy of the records does not know a sale, nor one that it called failed.
    const unknown = await pay(TREASURY, 7_000_000n);
    await store.write(async (tables) => {
      await tables.sessions.insert(
        sessionRow({ sessionId: 's2', payTo: TREASURY, destination: 's2' }),
      );
      const failed = {
        state: 'failed',
        reason: 'expired',
        sessionId: 's2',
        orderId: 'order-2',
      } as const;
      await tables.settlements.insert(settlementRow({ ...failed, messageHash: 'lost' }));
      await tables.orders.insert(orderRow({ orderId: 'order-2', sessionId: 's2' }), []);
      await tables.claims.claim({
        ...{ messageHash: 'lost', transaction: unknown, wire: '', validUntil: 1 },
        ...{ state: 'expired', reason: null, createdAtMs: clock.now() },
      });
    });
    await pay(TREASURY, 8_000_000n);
    await chain.fundUsdc(TREASURY, 9_000_000n);
    clock.advance(600_000);
    expect(await found()).toEqual([
      ['payment_without_order', 'order-2', '7 USDC'],
      ['payment_without_order', null, '8 USDC'],
    ]);
  });

  it('name money that left without a record', async () => {
    await trade();
    await send(foreign, REFUNDS, TREASURY, 3_000_000n);
    clock.advance(600_000);
    expect(await found()).toEqual([
      ['payment_without_order', null, '3 USDC'],
      ['transfer_unrecorded', null, `3 USDC from ${REFUNDS.address}`],
    ]);
  });

  it('name what one node hides', async () => {
    await trade();
    const [row] = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    const hidden = associatedTokenAddress(row?.owner ?? '', USDC_MINT);
    const witness: SolanaRpc = {
      ...rpc,
      signaturesForAddress: async (address, page) =>
        address === hidden ? [] : rpc.signaturesForAddress(address, page),
    };
    const differences = await found(witness);
    expect(differences).toEqual([
      ['nodes_differ', null, '0 USDC'],
      ['nodes_differ', null, '0 USDC'],
    ]);
  });

  it('name codes and amounts that differ, by order, with what to do', async () => {
    await trade();
    await supplier.fulfil('line-unknown', SOLD);
    await store.write(async ({ partnerOrders }) => {
      const row = await partnerOrders.byId(ORDER);
      const more = { receivedAtomic: (PRICE + 1_000_000n).toString() };
      if (row) await partnerOrders.update(row, { ...row, ...more });
      await partnerOrders.insert(
        partnerOrderRow({ orderState: 'Done', paymentState: 'PaymentReceived' }),
        [line(partnerOrderRow().orderId, 'line-never-bought')],
      );
    });
    expect((await found()).toSorted()).toEqual([
      ['line_without_purchase', partnerOrderRow().orderId, 'none'],
      ['purchase_without_line', null, 'none'],
      ['received_differs', ORDER, '26.25 USDC'],
    ]);
  });
});
