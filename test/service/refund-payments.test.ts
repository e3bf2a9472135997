/** Refunds that are paid on the embedded chain: once, whatever breaks. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BASE, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { REFUND_POINTS } from '../../src/domain/journal/fail-points.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { refundIdOf } from '../../src/domain/operator/operator-records.ts';
import type { ShopRail } from '../../src/rails/merchant-rail.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { nameRecipient } from '../../src/service/partner/orders/refund-recipient.ts';
import { createRefundAdmin } from '../../src/service/refunds/refund-admin.ts';
import { createShopMarket } from '../../src/shop/shop.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
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
  WALLET,
} from '../support/refund-world.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';
import { accountRow } from '../support/store-suite.ts';

const KNOWN = { refusal: 'refund_address_known' };

let world: RefundWorld;
let { clock, store, chain, rpc, reports, payments, transfersOf, pass, owe } = {} as RefundWorld;
let { balanceOf, payoutOf, stateOf, debits } = {} as RefundWorld;

async function open(engine: 'SQLite' | 'PostgreSQL'): Promise<void> {
  world = await refundWorld(engine);
  ({ clock, store, chain, rpc, reports, payments, transfersOf, pass, owe } = world);
  ({ balanceOf, payoutOf, stateOf, debits } = world);
}

afterEach(() => world.close());

describe('a refund', () => {
  beforeEach(() => open('SQLite'));

  it('is sent to the order’s address, and the order is Refunded once it is final', async () => {
    const refund = await owe();
    const again = () => ({ state: 'sending', attempts: 1, nextAtMs: clock.now() + 2_000 });
    await payments()();
    expect(await payoutOf(refund)).toMatchObject(again());
    expect(await stateOf()).toBe('Expired');
    // It is sent at once, and looked at until it is final.
    clock.advance(2_000);
    expect(await debits()).toBe(1);
    await payments()();
    expect(await payoutOf(refund)).toMatchObject(again());
    await pass();
    const payout = await payoutOf(refund);
    expect(payout).toMatchObject({ state: 'sent', nextAtMs: null });
    expect([await balanceOf(BUYER), await stateOf()]).toEqual([OWED, 'Refunded']);
    const [status] = await rpc.signatureStatuses([payout?.transaction ?? '']);
    expect(status).toMatchObject({ commitment: 'finalized', error: null });
    expect(reports).toEqual([]);
  });

  it.each([
    ['without an address', {}, { recipient: null }, 'address'],
    ['of another coin', { coin: 'BTC' }, {}, 'operator'],
    ['on another network', { network: 'Ethereum' }, {}, 'operator'],
    ['through a processor', { network: null }, {}, 'operator'],
    ['above the limit of one', { receivedAtomic: `${101n * USDC}` }, {}, 'operator'],
    ['above what is sent without approval', { receivedAtomic: `${51n * USDC}` }, {}, 'approval'],
    ['smaller than its network fee', { receivedAtomic: '9999' }, {}, 'approval'],
    ['to a wallet without a USDC account', { refundAddress: FEE_PAYER.address }, {}, 'account'],
    ['to the wallet that pays it', { refundAddress: WALLET.address }, {}, 'operator'],
    ['of an order whose coin is no longer taken', { coin: 'GONE' }, { coin: 'USDC' }, 'operator'],
    ['of another coin than its order', {}, { coin: 'USDT' }, 'operator'],
    ['in other units than those of USDC', {}, { decimals: 9 }, 'operator'],
    ['of no order', {}, { orderId: 'nowhere' }, 'operator'],
  ] as const)('%s waits', async (_name, order, row, waitsFor) => {
    const refund = await owe(order, row);
    await payments()();
    const waitMs = waitsFor === 'account' ? 600_000 : 60_000;
    expect(await payoutOf(refund)).toMatchObject({ waitsFor, nextAtMs: clock.now() + waitMs });
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', waitsFor, transfer: null });
    expect([await debits(), reports]).toEqual([0, []]);
  });

  it('to an account that orders are paid to waits, or it would be a payment of one', async () => {
    await store.tables.receivingAccounts.insert(accountRow({ owner: BUYER }));
    const refund = await owe();
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', waitsFor: 'operator' });
    expect(await debits()).toBe(0);
  });

  it('that was approved is sent, but never above the limit of one', async () => {
    const refund = await owe({ receivedAtomic: `${51n * USDC}` });
    const large = await owe(
      { receivedAtomic: `${51n * USDC}` },
      {
        refundId: 'large',
        amountAtomic: `${101n * USDC}`,
      },
    );
    for (const { refundId } of [refund, large]) {
      await store.tables.payouts.update({ refundId, version: 0 }, { approvedBy: 'ann' });
    }
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent' });
    expect(await payoutOf(large)).toMatchObject({ state: 'open', waitsFor: 'operator' });
    expect(await balanceOf(BUYER)).toBe(51n * USDC);
  });

  it('waits for the next day when the limit of this one is reached', async () => {
    const refunds: RefundRow[] = [];
    for (let index = 0; index < 4; index += 1) {
      const orderId = ORDER.replace(/1$/, String(index));
      const walletAddress = `owner ${index}`;
      const receivedAtomic = `${49n * USDC}`;
      refunds.push(await owe({ orderId, walletAddress, receivedAtomic }));
    }
    const limits = { ...LIMITS, perDayAtomic: 147n * USDC };
    await pass(payments({ limits }));
    const states = async () =>
      Promise.all(refunds.map(async (refund) => (await payoutOf(refund))?.waitsFor ?? null));
    expect(await states()).toEqual([null, null, null, 'limit']);
    expect([await balanceOf(BUYER), reports]).toEqual([147n * USDC, []]);
    clock.advance(24 * 3_600_000);
    await pass(payments({ limits }));
    expect(await balanceOf(BUYER)).toBe(196n * USDC);
  });

  it('waits while the wallet has too little, and the operator is told', async () => {
    const poor = signerFromSeed(new Uint8Array(32).fill(33));
    const refund = await owe();
    await pass(payments({ wallet: poor }));
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', waitsFor: 'balance' });
    expect(String(reports[0])).toContain('too little for a refund');
    await chain.fundUsdc(poor.address, OWED);
    clock.advance(60_000);
    await pass(payments({ wallet: poor }));
    expect(await balanceOf(BUYER)).toBe(OWED);
  });

  it('is sent from a wallet that fills itself up, and nobody is told', async () => {
    const wallet = signerFromSeed(new Uint8Array(32).fill(35));
    const refund = await owe();
    await pass(payments({ wallet, topUp: () => chain.fundUsdc(wallet.address, OWED) }));
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent' });
    expect([await balanceOf(BUYER), reports]).toEqual([OWED, []]);
  });

  it('is signed anew only when the transfer before can never land', async () => {
    const refund = await owe();
    const lost = world.transfersOf({ rpc: { ...rpc, send: async () => 'lost' } });
    await pass(payments({ transfers: lost }), 3);
    const before = await payoutOf(refund);
    clock.advance(5 * 60_000);
    await pass(payments({ transfers: lost }), 2);
    const claim = await store.tables.claims.byMessage(before?.transfer ?? '');
    expect(claim).toMatchObject({ state: 'expired' });
    clock.advance(60_000);
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', attempts: 2 });
    expect([await balanceOf(BUYER), await debits()]).toEqual([OWED, 1]);
  });

  it('is not sent again by an older copy of the records', async () => {
    const refund = await owe();
    await pass();
    const sent = await payoutOf(refund);
    const nothing = { transfer: null, transaction: null, reservedAtMs: null, attempts: 0 };
    const before = { state: 'open', ...nothing, nextAtMs: clock.now() } as const;
    await store.tables.payouts.update({ ...refund, version: sent?.version ?? 0 }, before);
    await pass();
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', transaction: sent?.transaction });
    expect([await balanceOf(BUYER), await debits()]).toEqual([OWED, 1]);
  });

  it('waits while an unknown transfer of it is not final', async () => {
    const refund = await owe();
    const landed = async () => ({ kind: 'open' }) as const;
    const transfers = { ...transfersOf(), rail: { ...world.shopRail, landed } };
    await pass(payments({ transfers }), 3);
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', attempts: 0 });
    expect(await debits()).toBe(0);
  });

  it('is sent although a stranger named its key in a transfer', async () => {
    const refund = await owe();
    let isSeen = false;
    const transfers = transfersOf();
    const landed: ShopRail['landed'] = async (sought) => {
      if (!isSeen) {
        isSeen = true;
        const gift = { owner: STRANGER, payTo: WALLET.address, amountAtomic: atomic(1n) };
        await chain.fundUsdc(BUYER, 1n);
        const { reference } = sought;
        const hash = await transfers.begin({ ...gift, reference }, async () => true);
        await transfers.follow(hash ?? '', 60_000);
      }
      return transfers.rail.landed(sought);
    };
    const strange = { ...transfers, rail: { ...transfers.rail, landed } };
    await pass(payments({ transfers: strange }));
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', attempts: 1 });
    expect(await balanceOf(BUYER)).toBe(OWED);
  });

  it('is not signed anew while one of two nodes may still have it', async () => {
    const refund = await owe();
    const behind = { ...rpc, blockHeight: async () => 1 };
    const lost = world.transfersOf({ rpc: { ...rpc, send: async () => 'lost' }, witness: behind });
    await pass(payments({ transfers: lost }), 3);
    clock.advance(5 * 60_000);
    await pass(payments({ transfers: lost }), 3);
    expect(await payoutOf(refund)).toMatchObject({ state: 'sending', attempts: 1 });
  });
});

describe('the operator', () => {
  beforeEach(() => open('SQLite'));
  const admin = (network: string | undefined = SOLANA_MAINNET) =>
    createRefundAdmin({
      ...{
        store,
        clock,
        who: 'ann',
        rails: async () => [world.shopRail],
        spareIn: async () => 0n,
        sendsOn: (of) => of === network,
      },
    });
  const listed = async (network?: string) =>
    (await admin(network).list('waiting', 5)).map(({ state, waits_for }) => [state, waits_for]);

  it('sees what waits, and for what', async () => {
    await owe({ receivedAtomic: `${51n * USDC}` });
    await owe({}, { refundId: 'nobody', recipient: null });
    expect(await listed()).toEqual([
      ['waiting', 'turn'],
      ['waiting', 'address'],
    ]);
    expect((await listed('none'))[0]).toEqual(['waiting', 'operator']);
    await pass();
    expect((await listed())[0]).toEqual(['waiting', 'approval']);
  });

  it('lets a refund be sent, and names the recipient of one without', async () => {
    const large = await owe({ receivedAtomic: `${51n * USDC}`, refundAddress: null });
    const id = refundIdOf(large.refundId);
    await expect(admin(BASE).approve(id)).rejects.toThrow('sent from on Solana');
    await expect(admin().approve(id, 'nowhere')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await admin().approve(id, BUYER)).toMatchObject({ recipient: BUYER, amount: '51' });
    await expect(admin().approve(id, WALLET.address)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    await pass();
    expect(await balanceOf(BUYER)).toBe(51n * USDC);
    await expect(admin().refuse(id)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('gives what is owed another address than the buyer named, until it is being sent', async () => {
    const large = await owe({ receivedAtomic: `${52n * USDC}` }, { amountAtomic: `${51n * USDC}` });
    await owe({}, { refundId: 'rest', amountAtomic: `${USDC}` });
    const id = refundIdOf(large.refundId);
    const to = FUNDED.address;
    for (const wrong of ['nowhere', associatedTokenAddress(BUYER, USDC_MINT)]) {
      await expect(admin().approve(id, wrong, BUYER)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
      });
    }
    await expect(admin().approve(id, to)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(admin().approve(id, to, to)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const before = await balanceOf(to);
    expect(await admin().approve(id, to, BUYER)).toMatchObject({ recipient: to });
    const { partnerOrders } = store.tables;
    expect(await partnerOrders.byId(large.orderId)).toMatchObject({ refundAddress: to });
    await pass();
    expect([await balanceOf(BUYER), (await balanceOf(to)) - before]).toEqual([0n, 52n * USDC]);
    await expect(admin().approve(id, BUYER, to)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('cannot take a refund away from the payment that a server is claiming', async () => {
    const refund = await owe();
    const id = refundIdOf(refund.refundId);
    const transfers = transfersOf();
    // The address changes between the server's reading and its claim.
    const late: typeof transfers = {
      ...transfers,
      begin: async (transfer, mark) => {
        await admin().approve(id, FUNDED.address, BUYER);
        return transfers.begin(transfer, mark);
      },
    };
    await payments({ transfers: late })();
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', attempts: 0 });
    await pass();
    expect(await balanceOf(BUYER)).toBe(0n);
    expect(await payoutOf(refund)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  it('refuses a refund for good', async () => {
    const { refundId } = await owe();
    expect(await admin().refuse(refundIdOf(refundId))).toMatchObject({ state: 'refused' });
    await pass();
    expect([await balanceOf(BUYER), await debits()]).toEqual([0n, 0]);
    await expect(admin().refuse('none')).rejects.toMatchObject({ code: 'REFUND_UNKNOWN' });
  });

  it('records one that was paid by hand, once the chain shows that it was', async () => {
    const refund = await owe();
    const other = await owe({ orderId: ORDER.replace(/1$/, '2'), walletAddress: 'other' });
    const id = refundIdOf(refund.refundId);
    const elsewhere = await openSqliteStore(':memory:');
    const pay = async (amountAtomic: bigint, of = elsewhere) => {
      const to = { owner: WALLET, payTo: BUYER, amountAtomic: atomic(amountAtomic) };
      const transfers = transfersOf({}, of);
      const hash = await transfers.begin(to, async () => true);
      return (await transfers.follow(hash ?? '', 60_000))?.transaction ?? '';
    };
    for (const wrong of [await pay(OWED - 1n), await pay(OWED, store)]) {
      await expect(admin().markPaid(id, wrong)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
    const paid = await pay(OWED);
    await elsewhere.close();
    expect(await admin().markPaid(id, paid)).toMatchObject({ state: 'sent', transaction: paid });
    expect(await stateOf()).toBe('Refunded');
    const again = admin().markPaid(refundIdOf(other.refundId), paid);
    await expect(again).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('cannot take the transfer of one refund for another’s', async () => {
    await owe();
    const other = await owe({ orderId: ORDER.replace(/1$/, '2'), walletAddress: 'other' });
    await payments()();
    clock.advance(5_000);
    const [first] = await rpc.signaturesForAddress(WALLET.address, {
      commitment: 'confirmed',
      limit: 5,
    });
    clock.advance(60_000);
    const taken = admin().markPaid(refundIdOf(other.refundId), first?.signature ?? '');
    await expect(taken).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  beforeEach(() => open(engine));

  it.each(REFUND_POINTS)(
    'a process that dies at %s leaves one transfer to be made',
    async (point) => {
      const refund = await owe();
      const dying = payments({ point });
      await pass(dying, 8);
      expect(reports.map(String)).toContain('Error: killed');
      clock.advance(60_000);
      await pass();
      expect(await payoutOf(refund)).toMatchObject({ state: 'sent' });
      expect([await balanceOf(BUYER), await debits()]).toEqual([OWED, 1]);
      expect(await stateOf()).toBe('Refunded');
    },
  );

  it('an address that the buyer names is named once, and paid once', async () => {
    const key = 'k'.repeat(32);
    const waiting = { refundAddress: null, idempotencyKey: `key:${key}` };
    const refund = await owe(waiting);
    await pass(payments(), 2);
    expect(await payoutOf(refund)).toMatchObject({ state: 'open', waitsFor: 'address' });
    const market = createShopMarket();
    const order = await store.tables.partnerOrders.byId(ORDER);
    if (order === undefined) throw new Error('no order');
    const name = (address: string) =>
      nameRecipient({ store, clock, market }, order, { key, address });
    const addresses = [BUYER, FUNDED.address];
    const servers = [payments(), payments()];
    const [refusals] = await Promise.all([
      Promise.all(addresses.map(name)),
      ...servers.map((pay) => pay()),
    ]);
    const winner = addresses[refusals.indexOf(undefined)] ?? '';
    expect(refusals.filter((refusal) => refusal !== undefined)).toMatchObject([KNOWN]);
    expect(await name(winner)).toBeUndefined();
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(servers.map((pay) => pay()));
      clock.advance(3_000);
    }
    expect([await balanceOf(winner), await debits()]).toEqual([OWED, 1]);
    expect(await stateOf()).toBe('Refunded');
    for (const address of addresses.filter((one) => one !== winner)) {
      expect(await name(address)).toMatchObject(KNOWN);
    }
  });

  it('several servers at once make one transfer of each', async () => {
    const refunds: RefundRow[] = [];
    for (let index = 0; index < 5; index += 1) {
      const orderId = ORDER.replace(/1$/, String(index));
      refunds.push(await owe({ orderId, walletAddress: `owner ${index}` }));
    }
    const servers = [payments(), payments(), payments()];
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(servers.map((pay) => pay()));
      clock.advance(3_000);
    }
    for (const refund of refunds) expect(await payoutOf(refund)).toMatchObject({ state: 'sent' });
    expect([await balanceOf(BUYER), await debits()]).toEqual([5n * OWED, 5]);
  });
});
