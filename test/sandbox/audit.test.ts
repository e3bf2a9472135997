/** The books against the chain and the supplier: what agrees, and every way in which it may not. */

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MISMATCHES, type MismatchKind } from '../../src/domain/operator/audit.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { audit } from '../../src/sandbox/audit.ts';
import { openChainStore, openSecrets } from '../../src/sandbox/data-folder.ts';
import { openSandboxAdmin } from '../../src/sandbox/sandbox-admin.ts';
import { deliverDue } from '../../src/service/delivery/delivery.ts';
import type { Supplier } from '../../src/service/delivery/supplier.ts';
import { createVoucherVault } from '../../src/service/delivery/vouchers.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { allRows } from '../support/all-rows.ts';
import { type CheckoutBuyer, checkoutBuyer } from '../support/checkout-buyer.ts';
import { VOUCHER } from '../support/checkout-host.ts';
import { AMAZON_25, type PartnerSandbox, partnerSandbox, via } from '../support/partner-sandbox.ts';

const GOOD = 'friend@example.com';
const REFUSED = 'friend+failing@example.com';
const STUCK = 'friend+stuck@example.com';
const LONG_MS = 10 * 60_000;

/** Found in the books of a real shop alone: test/shop/books.test.ts. */
const OF_A_SHOP = ['nodes_differ', 'transfer_unrecorded'];

let shop: PartnerSandbox;
let buyer: CheckoutBuyer;
beforeEach(async () => {
  shop = await partnerSandbox();
  buyer = checkoutBuyer(shop);
});
afterEach(() => shop.close());

async function check() {
  const chain = await openChainStore(shop.dataDir);
  const { store } = shop.current();
  const draw = openSecrets(shop.dataDir);
  const report = await audit({ store, chain, draw }, shop.clock.now());
  await chain.close();
  return report;
}
const kinds = async () => (await check()).mismatches.map(({ kind }) => kind);

/** Changes the books behind the service's back. */
async function tamper(sql: string, file = 'sandbox.db'): Promise<void> {
  const { close, run } = await connect(join(shop.dataDir, file));
  await run(sql);
  await close();
}

async function settle(passes = 4): Promise<void> {
  for (let step = 0; step < passes; step += 1) await shop.pass(5_000);
}

const press = (orderId: string, action: string) =>
  shop.post(`/sandbox/orders/${orderId}/${action}`, {});

/** An order of the partner API that was paid with `amountAtomic`. */
async function paidOrder(amountAtomic?: bigint, more: Record<string, unknown> = {}) {
  const order = await shop.create(more);
  const asked = BigInt(Math.round(Number(order.coin_amount) * 1_000_000));
  await shop.transfer(order.wallet_address ?? '', amountAtomic ?? asked);
  await settle();
  return order.order_id;
}

const refundsOf = (orderId: string) => shop.current().store.tables.refunds.ofOrder(orderId);

describe('books agree', () => {
  it('of a folder in which nothing was sold', async () => {
    const { agrees, open, checked } = await check();
    expect({ agrees, open, lines: checked.lines }).toEqual({ agrees: true, open: 0, lines: 0 });
  });

  it('after sales on both surfaces, and counts what was looked at', async () => {
    await buyer.buy(GOOD);
    await buyer.buy(GOOD, GOOD);
    await paidOrder();
    const played = await shop.create({ payment: via('BTC', 'Mainnet') });
    await shop.post(`/sandbox/orders/${played.order_id}/pay`, {});
    await settle();
    expect(await check()).toMatchObject({
      agrees: true,
      open: 0,
      mismatches: [],
      checked: { transfers: 3, settlements: 2, partner_orders: 2, lines: 5, purchases: 5 },
    });
  });

  it('when a line failed: its price is owed to the payer, on record', async () => {
    const orderId = await buyer.buy(GOOD, REFUSED);
    await settle();
    const [refund, ...others] = await refundsOf(orderId);
    expect(others).toEqual([]);
    expect(refund).toMatchObject({ kind: 'refund', line: 1, coin: 'USDC', decimals: 6 });
    const { store } = shop.current();
    const session = await store.tables.orders.byId(orderId);
    const settlement = await store.tables.settlements.bySession(session?.sessionId ?? '');
    expect(refund?.recipient).toBe(settlement?.payer);
    const paid = await store.tables.sessions.byId(session?.sessionId ?? '');
    expect(2n * BigInt(refund?.amountAtomic ?? 0)).toBe(BigInt(paid?.amountAtomic ?? 0));
    expect(await check()).toMatchObject({ agrees: true, checked: { refunds: 1 } });
  });

  it('when too much was paid: the excess is owed', async () => {
    const orderId = await paidOrder(90_000_000n);
    const row = await shop.current().store.tables.partnerOrders.byId(orderId);
    expect(await refundsOf(orderId)).toMatchObject([
      {
        kind: 'refund',
        line: null,
        amountAtomic: `${90_000_000n - BigInt(row?.coinAmountAtomic ?? 0)}`,
      },
    ]);
    expect(await kinds()).toEqual([]);
  });

  it('when an order was given back, whole or in part, once however often it is told', async () => {
    const failing = { ...AMAZON_25, beneficiary_account: REFUSED };
    const whole = await paidOrder(undefined, { deliveries: [failing] });
    expect((await press(whole, 'refund')).status).toBe(200);
    await press(whole, 'refund');
    const half = await paidOrder(undefined, { deliveries: [AMAZON_25, failing] });
    expect((await press(half, 'close')).status).toBe(200);
    expect(await refundsOf(whole)).toMatchObject([{ line: null }]);
    expect(await refundsOf(half)).toMatchObject([{ line: 1 }]);
    expect(await kinds()).toEqual([]);
  });

  it('while a sale is under way, and says how many are', async () => {
    await buyer.buy('friend+slow@example.com');
    await shop.pass(1_000);
    expect(await check()).toMatchObject({ agrees: true, open: 1 });
    const order = await shop.create();
    await shop.transfer(order.wallet_address ?? '', 90_000_000n);
    expect(await check()).toMatchObject({ agrees: true, open: 2 });
  });

  it('beside a server that goes on selling, which does not wait for the check', async () => {
    const books = await openSandboxAdmin(
      { dataDir: shop.dataDir, chainDir: shop.dataDir },
      { clock: shop.clock, who: 'ann', random: randomBytes },
    );
    const selling = Promise.all([buyer.buy(GOOD), paidOrder(), buyer.buy(GOOD, REFUSED)]);
    for (let round = 0; round < 5; round += 1) {
      expect((await books.audit()).mismatches).toEqual([]);
    }
    await selling;
    await settle();
    expect(await books.audit()).toMatchObject({ agrees: true, open: 0 });
    await books.close();
  });

  it('as one state, whatever is written while they are read', async () => {
    const { store } = shop.current();
    const counts = await store.snapshot(async (tables) => {
      const before = (await allRows(tables.deliveries.rows())).length;
      const other = await shop.beside();
      await other.store.write(({ facts }) => facts.set('written meanwhile', 'yes'));
      await other.close();
      return [before, (await tables.facts.get('written meanwhile')) ?? 'no'];
    });
    expect(counts).toEqual([0, 'no']);
    expect(await store.tables.facts.get('written meanwhile')).toBe('yes');
  });
});

describe('an older copy of the records that was put back', () => {
  it('lacks the payments that landed since: each is named, and none is delivered again', async () => {
    await buyer.buy(GOOD);
    await paidOrder();
    const [copy, file] = ['copy.db', 'sandbox.db'].map((name) => join(shop.dataDir, name));
    if (copy === undefined || file === undefined) throw new Error('two files');
    await tamper(`vacuum into '${copy}'`);
    await buyer.buy(GOOD);
    await buyer.buy(GOOD);
    await paidOrder();
    await settle();
    await shop.restart(() => {
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
      renameSync(copy, file);
    });
    const before = await check();
    expect(before.mismatches.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 3 }, () => 'payment_without_order'),
    );
    expect(new Set(before.mismatches.map(({ subject }) => subject)).size).toBe(3);
    await settle();
    await buyer.buy(GOOD);
    await settle();
    const after = await check();
    expect(after.mismatches).toEqual(before.mismatches);
    expect(after.checked).toMatchObject({ lines: 3, purchases: 3 });
  });

  it('is not held against payments between others', async () => {
    const stranger = signerFromSeed(new Uint8Array(32).fill(5)).address;
    await shop.current().fund(stranger, { usdcAtomic: 1n, lamports: 0n });
    await shop.transfer(stranger, 5n);
    expect(await kinds()).toEqual([]);
  });
});

describe('a mismatch is found:', () => {
  const orderOf = async () => {
    const orderId = await buyer.buy(GOOD);
    await settle();
    expect(await kinds()).toEqual([]);
    return orderId;
  };
  const transferTo = async (payTo: string, amount: bigint) => {
    await shop.transfer(payTo, amount);
    shop.clock.advance(LONG_MS);
  };

  /** The books of one order, changed after its sale. */
  const sold =
    (...changes: readonly string[]) =>
    async () => {
      await orderOf();
      for (const sql of changes) await tamper(sql);
    };
  /** Those of an order with a line that failed. */
  const failed = (passes: number, change: string) => async () => {
    await buyer.buy(GOOD, REFUSED);
    await settle(passes);
    await tamper(change);
  };
  /** Those of a partner's order that was given back. */
  const givenBack = (change: string) => async () => {
    const failing = { ...AMAZON_25, beneficiary_account: REFUSED };
    await press(await paidOrder(undefined, { deliveries: [failing] }), 'refund');
    await tamper(change);
  };
  const paid = (change: string) => async () => {
    await paidOrder();
    await tamper(change);
  };
  const NO_PURCHASE = 'delete from purchases';
  const OTHER_PURCHASE = `insert into purchases select 'cd_other', request, outcome, ready_at_ms, attempts, voucher, created_at_ms from purchases`;
  const UNPAID = `update partner_orders set payment_state = 'PaymentRequested', order_state = 'WaitingForPayment'`;

  const CASES: readonly (readonly [what: string, MismatchKind, () => Promise<unknown>])[] = [
    [
      'a transfer to a session that nobody paid for',
      'payment_without_order',
      async () => transferTo((await buyer.ask(GOOD)).requirement.payTo, 5n),
    ],
    [
      'a transfer for a payment that was called failed',
      'payment_without_order',
      sold(
        `update settlements set state = 'failed', reason = 'x'`,
        `update deliveries set state = 'failed'`,
        NO_PURCHASE,
      ),
    ],
    [
      'a second transfer for one order',
      'paid_twice',
      async () => {
        const asked = await buyer.ask(GOOD);
        await buyer.pay(asked);
        await settle();
        await transferTo(asked.requirement.payTo, 5n);
      },
    ],
    [
      'another amount than was asked for',
      'amount_differs',
      sold(`update sessions set amount_atomic = '1'`),
    ],
    [
      'a payment that landed long ago and is not decided',
      'payment_undecided',
      async () => {
        await sold(
          `update settlements set state = 'submitting', settled_at_ms = null`,
          `update deliveries set state = 'waiting'`,
          NO_PURCHASE,
        )();
        shop.clock.advance(LONG_MS);
      },
    ],
    [
      'money of a partner’s order that nobody has counted',
      'payment_undecided',
      async () => transferTo((await shop.create()).wallet_address ?? '', 5n),
    ],
    [
      'a settlement whose transaction is not on the chain',
      'settled_without_payment',
      async () => {
        await orderOf();
        await tamper('delete from chain_mentions', 'chain.db');
        await tamper('delete from chain_transactions', 'chain.db');
      },
    ],
    [
      'a settlement without its order',
      'order_missing',
      sold('delete from orders', 'delete from deliveries', NO_PURCHASE),
    ],
    [
      'more received than landed',
      'received_differs',
      paid(`update partner_orders set received_atomic = '99000000'`),
    ],
    [
      'money that came after the order had ended',
      'money_on_ended_order',
      async () => {
        const order = await shop.create();
        await shop.pass(16 * 60_000);
        await settle(40);
        await shop.transfer(order.wallet_address ?? '', 5_000_000n);
        await shop.pass(60_000);
        await tamper('delete from refunds');
        await shop.pass(60_000);
      },
    ],
    ['a line that failed without a refund', 'refund_missing', failed(4, 'delete from refunds')],
    ['a partner’s refund off the record', 'refund_missing', givenBack('delete from refunds')],
    [
      'more given back than received',
      'refund_too_large',
      givenBack(`update refunds set amount_atomic = '99000000'`),
    ],
    [
      'a line that was delivered and given back',
      'goods_and_refund',
      async () => {
        const orderId = await orderOf();
        await shop.current().store.tables.refunds.record({
          ...{ refundId: 'x', orderId, kind: 'refund', line: 0, coin: 'USDC', amountAtomic: '1' },
          ...{ decimals: 6, recipient: null, reason: 'by hand', createdAtMs: 0 },
        });
      },
    ],
    ['goods of an order that is not paid', 'goods_unpaid', paid(UNPAID)],
    [
      'a supplier that has not answered ten times',
      'delivery_stuck',
      async () => {
        await buyer.buy(STUCK);
        for (let step = 0; step < 12; step += 1) await shop.pass(30_000);
      },
    ],
    [
      'a supplier that gives the code of another order',
      'answer_unusable',
      async () => {
        await buyer.buy(STUCK);
        await settle();
        await tamper(`update deliveries set fault = 'used_code' where state = 'pending'`);
      },
    ],
    ['a delivered line that nobody bought', 'line_without_purchase', sold(NO_PURCHASE)],
    [
      'a purchase for a line that failed',
      'purchase_without_line',
      async () => {
        await buyer.buy(REFUSED);
        await settle();
        await tamper(`update purchases set outcome = 'fulfilled'`);
      },
    ],
    ['a purchase for no line at all', 'purchase_without_line', sold(OTHER_PURCHASE)],
    [
      'a purchase of other goods',
      'purchase_differs',
      sold(`update purchases set request = '{"productId":"other"}'`),
    ],
    [
      'a refund that was sent with another amount',
      'refund_differs',
      failed(6, `update refunds set amount_atomic = '1'`),
    ],
  ];

  it.each(CASES)('%s (%s)', async (_what, kind, provoke) => {
    await provoke();
    const { agrees, mismatches } = await check();
    expect(mismatches.map((found) => found.kind)).toEqual([kind]);
    expect(agrees).toBe(false);
    const [found] = mismatches;
    expect(found?.todo).not.toContain('<order_id>');
  });

  it('but not of a second transfer that was sent back, whose refund has its id', async () => {
    const asked = await buyer.ask(GOOD);
    await buyer.pay(asked);
    await settle();
    await transferTo(asked.requirement.payTo, 5n);
    const [{ kind, subject } = {}] = (await check()).mismatches;
    expect(kind).toBe('paid_twice');
    const recipient = signerFromSeed(new Uint8Array(32).fill(5)).address;
    await shop.current().fund(recipient, { usdcAtomic: 1n, lamports: 0n });
    const transaction = await shop.transfer(recipient, 5n);
    await shop.current().store.write(async ({ refunds, payouts }) => {
      const refundId = subject ?? '';
      const about = { orderId: '', kind: 'refund', line: null, coin: 'USDC', decimals: 6 } as const;
      const owed = { amountAtomic: '5', reason: 'It paid no order.', createdAtMs: 0 };
      await refunds.record({ ...about, ...owed, refundId, recipient });
      await payouts.update(
        { refundId, version: 0 },
        { state: 'sent', transaction, nextAtMs: null },
      );
    });
    expect(await kinds()).toEqual([]);
  });

  it('one of every kind there is', () => {
    const provoked = new Set(CASES.map(([, kind]) => kind));
    const known = Object.keys(MISMATCHES).filter((kind) => !OF_A_SHOP.includes(kind));
    expect([...provoked].sort()).toEqual(known.sort());
  });
});

describe('a stuck line of a partner’s order', () => {
  const stuckOrder = async () => {
    const stuck = { ...AMAZON_25, beneficiary_account: STUCK };
    const orderId = await paidOrder(undefined, { deliveries: [stuck] });
    for (let step = 0; step < 15; step += 1) await shop.pass(30_000);
    expect((await shop.read(orderId)).order_state).toBe('WaitingForManualAction');
    return orderId;
  };

  it('that was bought, never answered and given back is found in the supplier’s ledger', async () => {
    const orderId = await stuckOrder();
    expect((await press(orderId, 'refund')).status).toBe(200);
    expect(await kinds()).toEqual(['purchase_without_line']);
    expect(await refundsOf(orderId)).toHaveLength(1);
  });

  it('whose goods come while it is given back keeps them, and a loss is booked', async () => {
    const orderId = await stuckOrder();
    shop.clock.advance(60_000);
    const faults: unknown[] = [];
    const { store } = shop.current();
    const supplier: Supplier = {
      check: async () => 'available',
      fulfil: async () => {
        await press(orderId, 'refund');
        return { outcome: 'fulfilled', voucher: VOUCHER };
      },
    };
    const random = (length: number) => new Uint8Array(length);
    const vault = createVoucherVault(new Uint8Array(32), random);
    const report = (error: unknown) => faults.push(error);
    await deliverDue({ store, supplier, clock: shop.clock, vault, report }, 10);
    const [line] = await store.tables.deliveries.ofOrder(orderId);
    expect(line).toMatchObject({ state: 'completed', failureReason: null });
    const kept = await refundsOf(orderId);
    expect(kept.map(({ kind }) => kind).sort()).toEqual(['loss', 'refund']);
    expect(faults).toMatchObject([{ message: expect.stringContaining('a loss was recorded') }]);
    expect((await shop.current().store.tables.partnerOrders.byId(orderId))?.orderState).toBe(
      'Refunded',
    );
    expect(await kinds()).toEqual([]);
  });
});

it('docs/operate/audit.md shows every kind with its meaning and what to do', () => {
  const page = readFileSync(new URL('../../docs/operate/audit.md', import.meta.url), 'utf8');
  const rows = Object.entries(MISMATCHES).map(
    ([kind, { meaning, todo }]) => `| \`${kind}\` | ${meaning} | ${todo} |`,
  );
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
