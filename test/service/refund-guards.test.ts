/** What keeps a refund from being paid twice, or an order from being given back more than it was paid. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { nameRecipient } from '../../src/service/partner/orders/refund-recipient.ts';
import type { ShopTransfers } from '../../src/service/refunds/shop-transfers.ts';
import { createShopMarket } from '../../src/shop/shop.ts';
import type { RefundRow } from '../../src/store/tables/refunds.ts';
import {
  BUYER,
  FUNDED,
  LIMITS,
  ORDER,
  OWED,
  type RefundWorld,
  refundWorld,
  USDC,
} from '../support/refund-world.ts';
import { orderRow, sessionRow, settlementRow } from '../support/store-suite.ts';

const FAR_MS = Date.UTC(2100, 0, 1);

let world: RefundWorld;
afterEach(() => world.close());

/** Another refund of the order, of an amount and in a state. */
async function besides(name: string, state: string, usdc: bigint): Promise<void> {
  const { owe, payoutOf, store } = world;
  const refund = await owe({}, { refundId: name, amountAtomic: `${usdc * USDC}` });
  const version = (await payoutOf(refund))?.version ?? 0;
  const changes = { state, nextAtMs: FAR_MS } as { state: 'sent'; nextAtMs: number };
  await store.tables.payouts.update({ refundId: name, version }, changes);
}

describe('the refunds of an order', () => {
  beforeEach(async () => {
    world = await refundWorld('SQLite');
  });

  it.each([
    ['sent', 'sent', 2n * USDC, 'sent'],
    ['sent', 'sent', 2n * USDC + 1n, 'held'],
    ['sending', 'sent', 2n * USDC, 'sent'],
    ['sending', 'sent', 2n * USDC + 1n, 'held'],
    ['sending', 'sending', 2n * USDC + 1n, 'held'],
    ['open', 'refused', OWED, 'sent'],
    ['open', 'refused', OWED + 1n, 'held'],
    ['refused', 'sent', 5n * USDC, 'sent'],
    ['refused', 'sent', 5n * USDC + 1n, 'held'],
  ] as const)(
    'beside one of 3 that is %s and one of 2 that is %s, one of %s is %s',
    async (three, two, amount, fate) => {
      const { owe, payoutOf, pass, balanceOf, debits, reports } = world;
      await besides('three', three, 3n);
      await besides('two', two, 2n);
      const refund = await owe({}, { refundId: 'this', amountAtomic: amount.toString() });
      await pass();
      const isSent = fate === 'sent';
      const held = { state: 'open', waitsFor: 'operator', transfer: null, attempts: 0 };
      expect(await payoutOf(refund)).toMatchObject(isSent ? { state: 'sent' } : held);
      const paid = [await balanceOf(BUYER), await debits()];
      expect(paid).toEqual(isSent ? [amount, 1] : [0n, 0]);
      const words = expect.stringContaining('more than was received for it');
      expect([...new Set(reports.map(String))]).toEqual(isSent ? [] : [words]);
    },
  );

  it.each([
    ['of exactly the least that is worth its fee', 10_000n, null, 'sent'],
    ['of exactly what needs no approval', LIMITS.approveAboveAtomic, null, 'sent'],
    ['above what needs no approval', LIMITS.approveAboveAtomic + 1n, null, 'open'],
    ['of exactly the most, approved', LIMITS.mostAtomic, 'ann', 'sent'],
    ['above the most, approved', LIMITS.mostAtomic + 1n, 'ann', 'open'],
  ])('one %s is looked at by the limits', async (_what, amount, approvedBy, state) => {
    const { owe, payoutOf, pass, store } = world;
    const refund = await owe({ receivedAtomic: amount.toString() });
    await store.tables.payouts.update({ ...refund, version: 0 }, { approvedBy });
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state });
  });

  it('a refund of an order of the checkout host is sent, up to what was paid', async () => {
    const { owe, payoutOf, pass, balanceOf, store } = world;
    await store.write(async (tables) => {
      await tables.sessions.insert(sessionRow({ amountAtomic: OWED.toString() }));
      await tables.orders.insert(orderRow(), []);
      await tables.settlements.insert(settlementRow({ state: 'settled', payer: BUYER }));
    });
    const of = { orderId: 'order-1', reason: 'It was not delivered.' };
    const first = await owe({}, { ...of, refundId: 'line 0', amountAtomic: `${4n * USDC}` });
    await pass();
    const rest = await owe({}, { ...of, refundId: 'line 1', amountAtomic: `${3n * USDC + 1n}` });
    await pass();
    expect(await payoutOf(first)).toMatchObject({ state: 'sent' });
    expect(await payoutOf(rest)).toMatchObject({ state: 'open', waitsFor: 'operator' });
    expect(await balanceOf(BUYER)).toBe(4n * USDC);
  });

  it('that has waited longest is sent first', async () => {
    const { owe, payoutOf, pass, payments, clock, chain, store } = world;
    const wallet = signerFromSeed(new Uint8Array(32).fill(36));
    await chain.fundUsdc(wallet.address, OWED);
    const refunds: RefundRow[] = [];
    for (const waitedMs of [10, 30, 20]) {
      const orderId = ORDER.replace(/1$/, String(waitedMs / 10));
      const refund = await owe({ orderId, walletAddress: `owner ${waitedMs}` });
      const updatedAtMs = clock.now() - waitedMs;
      await store.tables.payouts.update({ ...refund, version: 0 }, { updatedAtMs });
      refunds.push(refund);
    }
    await pass(payments({ wallet }));
    const states = await Promise.all(refunds.map(async (one) => (await payoutOf(one))?.state));
    expect(states).toEqual(['open', 'sent', 'open']);
  });

  it('are looked for once a second', async () => {
    const { owe, payoutOf, payments, clock } = world;
    const pay = payments();
    await pay();
    const refund = await owe();
    await pay();
    clock.advance(999);
    await pay();
    expect(await payoutOf(refund)).toMatchObject({ state: 'open' });
    clock.advance(1);
    await pay();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sending' });
  });

  it('is not sent by a server whose lease has ended while another sent it', async () => {
    const { owe, payoutOf, pass, payments, transfersOf, clock, balanceOf, debits, reports } = world;
    const refund = await owe();
    const transfers = transfersOf();
    const slow: ShopTransfers = {
      ...transfers,
      begin: async (transfer, mark) => {
        await payments()();
        expect(await payoutOf(refund)).toMatchObject({ state: 'open' });
        clock.advance(30_000);
        await payments()();
        expect(await payoutOf(refund)).toMatchObject({ state: 'sending', attempts: 1 });
        return transfers.begin(transfer, mark);
      },
    };
    await payments({ transfers: slow })();
    expect(reports).toEqual([]);
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', attempts: 1 });
    expect([await balanceOf(BUYER), await debits()]).toEqual([OWED, 1]);
  });

  it.each([
    ['recipient', `recipient = '${FUNDED.address}'`, FUNDED.address],
    ['amount', `amount_atomic = '${OWED - 1n}'`, BUYER],
  ])('is not sent if its %s changes while it is being signed', async (_what, change, to) => {
    const { owe, payoutOf, pass, payments, transfersOf, past, balanceOf, debits } = world;
    const refund = await owe();
    const transfers = transfersOf();
    const late: ShopTransfers = {
      ...transfers,
      begin: async (transfer, mark) => {
        await past(`update refunds set ${change}`);
        return transfers.begin(transfer, mark);
      },
    };
    await payments({ transfers: late })();
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', attempts: 0 });
    expect(await debits()).toBe(0);
    world.clock.advance(60_000);
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', attempts: 1 });
    expect([(await balanceOf(to)) > 0n, await debits()]).toEqual([true, 1]);
  });

  it('is not sent again where only the second node shows that it was', async () => {
    const { owe, payoutOf, pass, payments, clock, store, rpc, balanceOf, debits } = world;
    const refund = await owe();
    await pass();
    const sent = await payoutOf(refund);
    const forgotten = { state: 'open', transfer: null, transaction: null } as const;
    const due = { ...forgotten, reservedAtMs: null, attempts: 0, nextAtMs: clock.now() };
    await store.tables.payouts.update({ ...refund, version: sent?.version ?? 0 }, due);
    const blind = Object.assign({ ...rpc }, { signaturesForAddress: async () => [] });
    const transfers = world.transfersOf({ rpc: blind, witness: rpc });
    await payments({ transfers })();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', transaction: sent?.transaction });
    expect([await balanceOf(BUYER), await debits()]).toEqual([OWED, 1]);
  });

  it.each([
    ['no refund has one', [null, null], undefined],
    ['they have this one', [BUYER, null], undefined],
    ['one has another one', [FUNDED.address, null], 'refund_address_known'],
    ['one has this and one another one', [BUYER, FUNDED.address], 'refund_address_known'],
  ])('an address is named for them where %s', async (_what, recipients, refusal) => {
    const { owe, store, clock } = world;
    const key = 'k'.repeat(32);
    const waiting = { refundAddress: null, idempotencyKey: `key:${key}` };
    for (const [index, recipient] of recipients.entries()) {
      const amountAtomic = `${USDC}`;
      await owe(waiting, { refundId: `refund ${index}`, recipient, amountAtomic });
    }
    const order = await store.tables.partnerOrders.byId(ORDER);
    if (order === undefined) throw new Error('no order');
    const deps = { store, clock, market: createShopMarket() };
    const named = await nameRecipient(deps, order, { key, address: BUYER });
    expect(named?.refusal).toBe(refusal);
    const after = (await store.tables.refunds.ofOrder(ORDER)).map(({ recipient }) => recipient);
    expect(after).toEqual(refusal === undefined ? [BUYER, BUYER] : recipients);
    const row = await store.tables.partnerOrders.byId(ORDER);
    expect(row?.refundAddress).toBe(refusal === undefined ? BUYER : null);
  });

  it.each([
    [0, 30_000],
    [1, 60_000],
    [40, 3_600_000],
  ])('whose transfer fails after %i others is tried again later', async (attempts, waitMs) => {
    const { owe, payoutOf, payments, transfersOf, clock, store } = world;
    const refund = await owe();
    await store.tables.payouts.update({ ...refund, version: 0 }, { attempts });
    const failed = { state: 'failed', transaction: 'none', reason: 'InsufficientFunds' } as const;
    const transfers = { ...transfersOf(), follow: async () => failed };
    await payments({ transfers })();
    const nextAtMs = clock.now() + waitMs;
    const nothing = { transfer: null, reservedAtMs: null, attempts: attempts + 1 };
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', nextAtMs, ...nothing });
  });
});

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  beforeEach(async () => {
    world = await refundWorld(engine);
  });

  /** Two servers that come to a step with one refund each go on from it together. */
  function together(): () => Promise<void> {
    let waiting = 2;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return () => {
      waiting -= 1;
      if (waiting === 0) open();
      return opened;
    };
  }

  /** Each of two servers has leased one of the two refunds when the other one is recorded. */
  async function race(second: Parameters<RefundWorld['owe']>): Promise<readonly RefundRow[]> {
    const { owe, payments, transfersOf } = world;
    const transfers = transfersOf();
    const limits = { ...LIMITS, perDayAtomic: 9n * USDC };
    const meet = together();
    let hasLeased = (): void => undefined;
    const leased = new Promise<void>((resolve) => {
      hasLeased = resolve;
    });
    const begin: ShopTransfers['begin'] = async (transfer, mark) => {
      hasLeased();
      await meet();
      return transfers.begin(transfer, mark);
    };
    const server = () => payments({ transfers: { ...transfers, begin }, limits })();
    const first = await owe({}, { refundId: 'first', amountAtomic: `${5n * USDC}` });
    const paying = server();
    await leased;
    const other = await owe(...second);
    await Promise.all([paying, server()]);
    return [first, other];
  }

  it.each([
    ['one order that was paid less than both', {}, 'operator'],
    ['the limit of a day', { orderId: ORDER.replace(/1$/, '2'), walletAddress: 'other' }, 'limit'],
  ])('two servers at once keep to %s', async (_what, order, waitsFor) => {
    const refunds = await race([order, { refundId: 'second', amountAtomic: `${5n * USDC}` }]);
    await world.pass(world.payments({ limits: { ...LIMITS, perDayAtomic: 9n * USDC } }), 5);
    const payouts = await Promise.all(refunds.map(world.payoutOf));
    const waits = payouts.map((payout) => payout?.waitsFor ?? null);
    expect(waits.toSorted()).toEqual([waitsFor, null].toSorted());
    expect([await world.balanceOf(BUYER), await world.debits()]).toEqual([5n * USDC, 1]);
  });

  it('an order whose two refunds end at once is Refunded', async () => {
    const { owe, payments, transfersOf, stateOf, pass, store } = world;
    const part = { amountAtomic: `${3n * USDC}` };
    const rest = { amountAtomic: `${4n * USDC}` };
    const refunds = [
      await owe({}, { refundId: 'part', ...part }),
      await owe({}, { refundId: 'rest', ...rest }),
    ];
    await pass(payments(), 3);
    const [one, other] = await Promise.all(refunds.map(world.payoutOf));
    expect([one?.state, other?.state]).toEqual(['sending', 'sending']);
    const transfers = transfersOf();
    const meet = together();
    const follow: ShopTransfers['follow'] = async (hash, forMs) => {
      const outcome = await transfers.follow(hash, forMs);
      await meet();
      return outcome;
    };
    world.clock.advance(60_000);
    const due = (nextAtMs: number, row = one) =>
      store.tables.payouts.update(row ?? { refundId: '', version: 0 }, { nextAtMs });
    await due(FAR_MS, other);
    const server = () => payments({ transfers: { ...transfers, follow } })();
    const first = server();
    await expect
      .poll(async () => (await world.payoutOf(refunds[0] as RefundRow))?.version)
      .toBe((one?.version ?? 0) + 1);
    const now = await world.payoutOf(refunds[1] as RefundRow);
    await due(world.clock.now(), now);
    await Promise.all([first, server()]);
    expect(await stateOf()).toBe('Refunded');
  });
});
