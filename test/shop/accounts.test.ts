/** Accounts that orders are paid to, on the embedded chain. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { OPENING_RENT, openForPayments } from '../../src/rails/solana/open-account.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import {
  type AccountLimits,
  type Accounts,
  accountLines,
  createAccounts,
  createMaintenance,
  solanaReceiving,
} from '../../src/shop/accounts.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import type { PartnerOrderRow } from '../../src/store/tables/partner-orders.ts';
import { type LiveChain, liveChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';
import { partnerOrderRow } from '../support/store-suite.ts';

const TREASURY = STRANGER.address;
const BUYER = signerFromSeed(new Uint8Array(32).fill(41));
const LIMITS: AccountLimits = {
  most: 10,
  spare: 0,
  mostADay: 100,
  lateMs: 72 * 3_600_000,
};
const MINUTE_MS = 60_000;

const draw = (purpose: string) => createHmac('sha256', 'seed').update(purpose).digest();

let clock: ManualClock;
let store: Store;
/** Of those who pay. */
let foreign: Store;
let live: LiveChain;
let chain: LiveChain['chain'];
let rpc: SolanaRpc;
let reports: unknown[];
let sends: number;
beforeEach(async () => {
  clock = skippingClock();
  store = await openSqliteStore(':memory:');
  foreign = await openSqliteStore(':memory:');
  live = await liveChain(clock);
  ({ chain, rpc } = live);
  reports = [];
  sends = 0;
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await chain.openForPayments(TREASURY);
  await chain.fundUsdc(BUYER.address, 1_000_000_000n);
});
afterEach(() => Promise.all([store.close(), foreign.close(), live.close()]));

/** The accounts of one process. */
function accounts(
  limits: Partial<AccountLimits> = {},
  { rpc: node = rpc, treasury = TREASURY }: { rpc?: SolanaRpc; treasury?: string } = {},
) {
  const report = (error: unknown) => void reports.push(error);
  const shared = { store, clock, report };
  const made = createAccounts({
    ...{ ...shared, treasury, limits: { ...LIMITS, ...limits } },
    rail: solanaReceiving({ rpc: node, clock, draw, feePayer: FEE_PAYER }),
    transfers: live.transfersOf(store, { rpc: node }),
  });
  return { ...made, maintain: createMaintenance(shared, [made]) };
}

const ID = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const DELIVERED = {
  orderState: 'Done',
  paymentState: 'PaymentReceived',
  nextLookAtMs: null,
} as const;
const EXPIRED = { orderState: 'Expired', paymentState: 'Expired' } as const;

/** An account for an order, which is on record. */
async function order(
  at: number,
  more: Partial<PartnerOrderRow> = {},
  made = accounts(),
): Promise<string> {
  const owner = await made.lease(`order ${ID(at)}`);
  await store.write(({ partnerOrders }) =>
    partnerOrders.insert(partnerOrderRow({ orderId: ID(at), walletAddress: owner, ...more }), []),
  );
  return owner;
}

async function become(at: number, more: Partial<PartnerOrderRow>): Promise<void> {
  await store.write(async ({ partnerOrders }) => {
    const row = await partnerOrders.byId(ID(at));
    if (row) await partnerOrders.update(row, { ...row, ...more, version: row.version + 1 });
  });
}

/** A transfer by somebody else. */
const send = (owner: Signer, payTo: string, amountAtomic: bigint) =>
  live.send(foreign, owner, payTo, amountAtomic);
const pay = (payTo: string, amountAtomic: bigint) => send(BUYER, payTo, amountAtomic);

/** What the service sees of the payments of an order. */
async function received(at: number) {
  const watch = createSolanaWatch({
    rpc,
    mints: { USDC: USDC_MINT },
    since: accounts().baselineOf,
  });
  const address = (await store.tables.partnerOrders.byId(ID(at)))?.walletAddress ?? null;
  return watch.received({ orderId: ID(at), address, coin: 'USDC', network: 'Solana' });
}

const treasury = async () => (await live.balanceOf(TREASURY)) ?? 0n;
const open = async () =>
  (await store.tables.receivingAccounts.open(SOLANA_MAINNET)).map(({ position }) => position);
const rentOf = async (owner: string) => {
  const account = await rpc.accountInfo(associatedTokenAddress(owner, USDC_MINT));
  return (await rpc.balance(owner)) + (account?.lamports ?? 0n);
};

/** Until nothing is due, as the timer of a server does. */
async function maintain(made = accounts(), passes = 12): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) {
    await made.maintain();
    clock.advance(5_000);
  }
}

it('of several servers one looks at the accounts', async () => {
  let looks = 0;
  const counted: SolanaRpc = {
    ...rpc,
    tokenAccounts: (addresses) => {
      looks += 1;
      return rpc.tokenAccounts(addresses);
    },
  };
  const servers = [1, 2, 3].map(() => accounts({}, { rpc: counted }));
  for (let pass = 1; pass <= 3; pass += 1) {
    await Promise.all(servers.map((server) => server.maintain()));
    expect(looks).toBe(pass);
    clock.advance(5_000);
  }
});

describe('an account', () => {
  it('is open, and of no other order, ever', async () => {
    const [one, other] = await Promise.all([order(1), order(2)]);
    expect(one).not.toBe(other);
    expect(await live.balanceOf(one)).toBe(0n);
    for (const at of [1, 2]) await become(at, DELIVERED);
    await maintain();
    expect(await open()).toEqual([]);
    expect([one, other]).not.toContain(await order(3));
  });

  it('of an order that is paid and delivered is empty and closed within a minute, and its rent is back', async () => {
    const before = await rpc.balance(FEE_PAYER.address);
    const owner = await order(1);
    await chain.fundUsdc(owner, 5_000_000n);
    await maintain();
    expect([await open(), await treasury()]).toEqual([[0], 0n]);
    await become(1, { ...DELIVERED, receivedAtomic: '5000000', seenAtomic: '5000000' });
    const atMs = clock.now();
    while ((await open()).length > 0) await maintain(accounts(), 1);
    expect(clock.now() - atMs).toBeLessThan(MINUTE_MS);
    expect([await treasury(), await rentOf(owner)]).toEqual([5_000_000n, 0n]);
    const spent = before - (await rpc.balance(FEE_PAYER.address));
    // Network fees of opening, moving and closing.
    expect(spent).toBeGreaterThan(0n);
    expect(spent).toBeLessThan(50_000n);
  });

  it.each<[string, Partial<PartnerOrderRow>, boolean]>([
    ['waits for its payment', {}, true],
    ['is paid in part, in time', { paymentState: 'PartialPaymentStarted' }, true],
    ['waits for its supplier', { ...DELIVERED, orderState: 'WaitingForDelivery' }, false],
    ['is held for a person', { ...DELIVERED, orderState: 'WaitingForManualAction' }, false],
    ['ended without any money', EXPIRED, false],
    ['was canceled', { ...EXPIRED, orderState: 'Canceled' }, false],
  ])('of an order that %s', async (_what, more, isOpen) => {
    await order(1);
    await become(1, more);
    await maintain();
    expect((await open()).length === 1).toBe(isOpen);
  });

  it('is closed where the order never came', async () => {
    await accounts().lease('order never-made');
    await maintain(accounts(), 1);
    expect(await open()).toEqual([0]);
    clock.advance(11 * MINUTE_MS);
    await maintain(accounts(), 1);
    expect(await open()).toEqual([]);
  });

  it('tells payments before its order from those of it', async () => {
    const owner = signerFromSeed(draw('receive 0')).address;
    await chain.openForPayments(owner);
    await chain.fundUsdc(owner, 5_000_000n);
    await send(signerFromSeed(draw('receive 0')), TREASURY, 5_000_000n);
    expect(await order(1)).toBe(owner);
    expect(await received(1)).toMatchObject({ confirmedAtomic: 0n, transactions: [] });
    await chain.fundUsdc(owner, 3_000_000n);
    clock.advance(5_000);
    expect(await received(1)).toMatchObject({ seenAtomic: 3_000_000n });
  });

  it('that had money before any order is given to none', async () => {
    await maintain(accounts({ spare: 1 }), 2);
    const spare = signerFromSeed(draw('receive 0')).address;
    await chain.fundUsdc(spare, 1n);
    expect(await order(1)).not.toBe(spare);
    expect(String(reports[0])).toContain(`came to ${spare}`);
    await maintain();
    expect([await open(), await treasury()]).toEqual([[1], 1n]);
  });
});

describe('money that comes late', () => {
  it('to a closed account is of its order and no other, and goes to the treasury', async () => {
    const owner = await order(1);
    await pay(owner, 5_000_000n);
    await become(1, { ...DELIVERED, receivedAtomic: '5000000', seenAtomic: '5000000' });
    await maintain();
    await order(2);
    // A second payment of the first order, by a wallet that opens the account of its recipient.
    await pay(owner, 3_000_000n);
    clock.advance(5_000);
    expect((await received(1)).confirmedAtomic).toBe(8_000_000n);
    expect((await received(2)).seenAtomic).toBe(0n);
    clock.advance(61 * MINUTE_MS);
    await maintain();
    expect(String(reports[0])).toContain(`is of: order ${ID(1)}`);
    expect([await treasury(), await open(), await rentOf(owner)]).toEqual([8_000_000n, [1], 0n]);
  });

  it('is not moved before the service has it on record; then the account is closed', async () => {
    const owner = await order(1, EXPIRED);
    await pay(owner, 2_000_000n);
    await maintain();
    expect([await treasury(), await open()]).toEqual([0n, [0]]);
    const paid = { receivedAtomic: '2000000', seenAtomic: '2000000' };
    await become(1, { ...paid, paymentState: 'ExpiredAfterPaymentDetection' });
    await maintain();
    expect([await treasury(), await open()]).toEqual([2_000_000n, []]);
    // As much again: it is seen, although it equals what is on record.
    await pay(owner, 2_000_000n);
    clock.advance(61 * MINUTE_MS);
    await maintain();
    expect((await received(1)).confirmedAtomic).toBe(4_000_000n);
    expect(await treasury()).toBe(2_000_000n);
    await become(1, { nextLookAtMs: null });
    clock.advance(61 * MINUTE_MS);
    await maintain();
    expect([await treasury(), await open()]).toEqual([4_000_000n, []]);
  });
});

describe('an opening', () => {
  const deposits = async (owner: string) => {
    const account = await rpc.accountInfo(associatedTokenAddress(owner, USDC_MINT));
    return [(await rpc.balance(owner)) + (account?.lamports ?? 0n), await rpc.balance(owner)];
  };

  it('pays rent for the USDC and for the address, as the limits count it', async () => {
    const owner = await order(1);
    expect(await deposits(owner)).toEqual([OPENING_RENT, 890_880n]);
  });

  it('is paid once by two servers that open the same address', async () => {
    const owner = await order(1);
    const feePayer = FEE_PAYER;
    const before = await rpc.balance(feePayer.address);
    let looks = 0;
    const late: SolanaRpc = {
      ...rpc,
      accountInfo: async (address) => {
        looks += 1;
        return looks === 1 ? null : rpc.accountInfo(address);
      },
    };
    clock.advance(5_000);
    await openForPayments({ rpc: late, clock, feePayer }, owner);
    expect(before - (await rpc.balance(feePayer.address))).toBe(5_000n);
    expect(await deposits(owner)).toEqual([OPENING_RENT, 890_880n]);
  });
});

describe('limits', () => {
  it('let no more accounts be open than there may be, and an account that is closed makes room', async () => {
    const made = accounts({ most: 1 });
    await order(1, {}, made);
    await become(1, { seenAtomic: '1' });
    await expect(made.lease('order b')).rejects.toMatchObject({
      code: 'SHOP_FULL',
      details: { retryAfterMs: expect.any(Number) },
    });
    await become(1, { ...DELIVERED, seenAtomic: '0' });
    await maintain(made);
    expect(await made.lease('order b')).toEqual(expect.any(String));
  });

  it('let no more rent of a day be open; the next day is another', async () => {
    const made = accounts({ mostADay: 2 });
    for (const at of [1, 2]) await order(at, { seenAtomic: '1' }, made);
    await expect(made.lease('order c')).rejects.toMatchObject({ code: 'SHOP_FULL' });
    clock.advance(24 * 60 * MINUTE_MS);
    expect(await made.lease('order c')).toEqual(expect.any(String));
  });

  it('keep spare accounts open before they are needed', async () => {
    await maintain(accounts({ spare: 2 }), 3);
    const rows = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    expect(rows).toHaveLength(2);
    for (const { owner } of rows) {
      expect(await rpc.tokenAccount(associatedTokenAddress(owner, USDC_MINT))).not.toBeNull();
    }
  });

  it('are told from four fifths on', async () => {
    const made = accounts({ most: 5, spare: 0 });
    for (const at of [1, 2, 3]) await order(at, { seenAtomic: '1' }, made);
    await maintain(made, 1);
    expect(made.shortage()).toBeNull();
    await order(4, { seenAtomic: '1' }, made);
    await maintain(made, 3);
    expect(String(made.shortage())).toBe('4 of 5 receiving accounts are in use');
    await order(5, { seenAtomic: '1' }, made);
    await maintain(made, 1);
    expect(String(made.shortage())).toContain('No orders are accepted');
    const lines = accountLines([{ network: SOLANA_MAINNET, accounts: made }]).join('\n');
    expect(lines).toContain('scrip_receiving_accounts{state="used"} 5');
    expect(lines).toContain('scrip_receiving_accounts_limit 5');
  });
});

describe('a flood of orders that nobody pays', () => {
  const MOST = 10;
  const made = () => accounts({ most: MOST });
  const orderFrom = async (at: number, network: string, shop: Accounts) => {
    const owner = await shop.lease(`order ${ID(at)}`, network);
    await store.write(({ partnerOrders }) =>
      partnerOrders.insert(partnerOrderRow({ orderId: ID(at), walletAddress: owner }), []),
    );
    return owner;
  };

  it('from one network leaves others served, and its own not', async () => {
    const shop = made();
    const flood: string[] = [];
    for (let at = 1; at <= MOST; at += 1) {
      flood.push(await orderFrom(at, '198.51.100.0/24', shop));
    }
    for (const [at, network] of ['203.0.113.0/24', '192.0.2.0/24', '2001:db8::/56'].entries()) {
      expect(flood).not.toContain(await orderFrom(100 + at, network, shop));
      await expect(shop.lease('order more', '198.51.100.0/24')).rejects.toMatchObject({
        code: 'SHOP_FULL',
      });
    }
    expect(await open()).toHaveLength(MOST);
  });

  it('takes no account of an order that is paid, also in part, or whose payment is not seen yet', async () => {
    const shop = made();
    for (let at = 1; at <= MOST; at += 1) await orderFrom(at, '198.51.100.0/24', shop);
    await become(1, { seenAtomic: '1' });
    const second = await store.tables.partnerOrders.byId(ID(2));
    await chain.fundUsdc(second?.walletAddress ?? '', 1n);
    await orderFrom(100, '192.0.2.0/24', shop);
    const left = (await store.tables.receivingAccounts.open(SOLANA_MAINNET)).map(
      ({ lease }) => lease,
    );
    expect(left).toEqual(expect.arrayContaining([`order ${ID(1)}`, `order ${ID(2)}`]));
    expect(left).not.toContain(`order ${ID(3)}`);
  });

  it('an order that lost its account is paid all the same', async () => {
    const shop = made();
    const owner = await orderFrom(1, '198.51.100.0/24', shop);
    for (let at = 2; at <= MOST; at += 1) await orderFrom(at, '198.51.100.0/24', shop);
    await orderFrom(100, '192.0.2.0/24', shop);
    expect(await rentOf(owner)).toBe(0n);
    await pay(owner, 25_250_000n);
    clock.advance(5_000);
    expect(await received(1)).toMatchObject({ confirmedAtomic: 25_250_000n });
  });

  it('after a restart its accounts are as any other’s', async () => {
    const before = made();
    for (let at = 1; at <= MOST; at += 1) await orderFrom(at, '198.51.100.0/24', before);
    expect(await orderFrom(100, '192.0.2.0/24', made())).toEqual(expect.any(String));
  });
});

describe('a sweep', () => {
  it('moves what is left to the treasury once the lease is over', async () => {
    const owner = await order(1);
    await chain.fundUsdc(owner, 5_000_000n);
    await maintain(accounts(), 2);
    expect(await treasury()).toBe(0n);
    await become(1, DELIVERED);
    await maintain();
    expect(await treasury()).toBe(5_000_000n);
    expect(await open()).toEqual([]);
  });

  it('that was cut off before it was sent is sent by the next process, once', async () => {
    await chain.fundUsdc(await order(1, DELIVERED), 5_000_000n);
    const send = async () => {
      throw new Error('killed');
    };
    await maintain(accounts({}, { rpc: { ...rpc, send } }), 1);
    const [row] = await store.tables.receivingAccounts.all(SOLANA_MAINNET);
    const claim = await store.tables.claims.byMessage(row?.sweep ?? '');
    expect(claim).toMatchObject({ state: 'submitting' });
    expect(await treasury()).toBe(0n);
    const counting = {
      ...rpc,
      send: (wire: Uint8Array) => {
        sends += 1;
        return rpc.send(wire);
      },
    };
    await maintain(accounts({}, { rpc: counting }));
    // The transfer, then the closing.
    expect([await treasury(), sends]).toEqual([5_000_000n, 2]);
    expect(await store.tables.claims.byMessage(row?.sweep ?? '')).toMatchObject({
      state: 'landed',
    });
  });

  it('is signed anew only when the one before can never land', async () => {
    await chain.fundUsdc(await order(1, DELIVERED), 5_000_000n);
    const lost = accounts({}, { rpc: { ...rpc, send: async () => 'lost' } });
    await maintain(lost, 2);
    const before = (await store.tables.receivingAccounts.all(SOLANA_MAINNET))[0]?.sweep;
    clock.advance(5 * MINUTE_MS);
    await maintain(lost, 1);
    expect(await store.tables.claims.byMessage(before ?? '')).toMatchObject({ state: 'expired' });
    await maintain();
    expect(await treasury()).toBe(5_000_000n);
  });

  it('to a treasury that cannot be paid to is not sent at all', async () => {
    const owner = await accounts().lease('order never-made');
    await chain.fundUsdc(owner, 1_000_000n);
    clock.advance(11 * MINUTE_MS);
    const before = await rpc.balance(FEE_PAYER.address);
    await maintain(accounts({}, { treasury: FEE_PAYER.address }), 2);
    expect(await rpc.balance(FEE_PAYER.address)).toBe(before);
    expect(reports[0]).toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
  });
});
