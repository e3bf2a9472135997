/** Accounts that orders are paid to, on the embedded chain. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { OPENING_RENT, openForPayments } from '../../src/rails/solana/open-account.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import { type Chain, openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/endpoint.ts';
import { createShopTransfers } from '../../src/service/shop-transfers.ts';
import {
  type AccountLimits,
  type AccountOptions,
  createAccounts,
} from '../../src/shop/accounts.ts';
import type { ChainStore } from '../../src/storage/chain-records.ts';
import type { SessionRow } from '../../src/storage/checkout-orders.ts';
import { claimsOf } from '../../src/storage/claims.ts';
import { openSqliteChain, openSqliteStore } from '../../src/storage/sqlite.ts';
import type { Store } from '../../src/storage/store.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';

const TREASURY = STRANGER.address;
const LIMITS: AccountLimits = {
  most: 10,
  spare: 0,
  rentLamportsPerDay: 100n * OPENING_RENT,
  lateMs: 3_600_000,
};
const MINUTE_MS = 60_000;

let clock: ManualClock;
let store: Store;
let chainStore: ChainStore;
let chain: Chain;
let rpc: SolanaRpc;
let reports: unknown[];
let sends: number;
beforeEach(async () => {
  clock = skippingClock();
  store = await openSqliteStore(':memory:');
  chainStore = await openSqliteChain(':memory:');
  chain = await openChain({ store: chainStore, clock });
  const answer = createRpcEndpoint(chain);
  const fetch: Fetch = (url, init) => answer(new Request(url, init));
  rpc = createSolanaRpc({ url: 'http://chain.invalid/rpc', fetch, clock });
  reports = [];
  sends = 0;
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await chain.openForPayments(TREASURY);
});
afterEach(() => Promise.all([store.close(), chainStore.close()]));

/** The accounts of one process. */
function accounts(limits: Partial<AccountLimits> = {}, more: Partial<AccountOptions> = {}) {
  const parts = { store, rpc: more.rpc ?? rpc, clock, feePayer: FEE_PAYER };
  const random = (length: number) => new Uint8Array(length).fill(7);
  return createAccounts({
    ...parts,
    draw: (purpose) => createHmac('sha256', 'seed').update(purpose).digest(),
    treasury: TREASURY,
    limits: { ...LIMITS, ...limits },
    transfers: createShopTransfers({ ...parts, claims: claimsOf(store), random }),
    report: (error) => reports.push(error),
    ...more,
  });
}

async function session(sessionId: string, owner: string): Promise<void> {
  const row: SessionRow = {
    sessionId,
    bodyHash: '',
    body: '{}',
    payTo: owner,
    destination: associatedTokenAddress(owner, USDC_MINT),
    amountAtomic: '1',
    requirement: '{}',
    lines: '[]',
    createdAtMs: clock.now(),
    expiresAtMs: clock.now() + MINUTE_MS,
  };
  await store.write((tables) => tables.sessions.insert(row));
}

const treasury = async () =>
  (await rpc.tokenAccountBalance(associatedTokenAddress(TREASURY, USDC_MINT))) ?? 0n;
const leases = async () => (await store.tables.receivingAccounts.all()).map(({ lease }) => lease);

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

describe('a lease', () => {
  it('is of an account that is open, and of no other order', async () => {
    const [one, other] = await Promise.all([
      accounts().lease('session a'),
      accounts().lease('session b'),
    ]);
    expect(one).not.toBe(other);
    expect(await rpc.tokenAccountBalance(associatedTokenAddress(one, USDC_MINT))).toBe(0n);
  });

  it('ends with a session that was not paid, and the next order has the account', async () => {
    const owner = await accounts().lease('session a');
    await session('a', owner);
    clock.advance(MINUTE_MS);
    await maintain(accounts(), 2);
    expect(await leases()).toEqual(['session a']);
    clock.advance(MINUTE_MS);
    await maintain(accounts(), 2);
    expect(await leases()).toEqual([null]);
    expect(await accounts().lease('session b')).toBe(owner);
    expect(
      await store.tables.sessions.byDestination(associatedTokenAddress(owner, USDC_MINT)),
    ).toBe(undefined);
    // Its row is free for the next.
    await session('b', owner);
  });

  it('ends where the order never came', async () => {
    await accounts().lease('order never-made');
    await maintain(accounts(), 1);
    expect(await leases()).toEqual(['order never-made']);
    clock.advance(11 * MINUTE_MS);
    await maintain(accounts(), 1);
    expect(await leases()).toEqual([null]);
  });

  it('tells payments before it from those of its order', async () => {
    const owner = await accounts().lease('session a');
    await session('a', owner);
    await chain.fundUsdc(owner, 5_000_000n);
    clock.advance(5 * MINUTE_MS);
    await maintain();
    expect(await accounts().lease('order b')).toBe(owner);
    const watch = createSolanaWatch({
      rpc,
      mints: { USDC: USDC_MINT },
      since: async (of) => (await accounts().leaseOf(of))?.baseline,
    });
    const order = { orderId: 'b', address: owner, coin: 'USDC', network: 'Solana' };
    expect(await watch.received(order)).toMatchObject({ confirmedAtomic: 0n, transactions: [] });
    await chain.fundUsdc(owner, 3_000_000n);
    clock.advance(5_000);
    expect(await watch.received(order)).toMatchObject({ seenAtomic: 3_000_000n });
  });
});

describe('an opening', () => {
  const deposits = async (owner: string) => {
    const account = await rpc.accountInfo(associatedTokenAddress(owner, USDC_MINT));
    return [(await rpc.balance(owner)) + (account?.lamports ?? 0n), await rpc.balance(owner)];
  };

  it('pays rent for the USDC and for the address, as the limits count it', async () => {
    const owner = await accounts().lease('session a');
    expect(await deposits(owner)).toEqual([OPENING_RENT, 890_880n]);
  });

  it('is paid once by two servers that open the same address', async () => {
    const owner = await accounts().lease('session a');
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
  it('let no more accounts be opened than there may be', async () => {
    const made = accounts({ most: 1 });
    await made.lease('session a');
    await expect(made.lease('session b')).rejects.toMatchObject({
      code: 'SHOP_FULL',
    });
  });

  it('let no more rent be paid in a day, and the next day is another', async () => {
    const made = accounts({ rentLamportsPerDay: 2n * OPENING_RENT });
    await made.lease('session a');
    await made.lease('session b');
    await expect(made.lease('session c')).rejects.toMatchObject({
      code: 'SHOP_FULL',
    });
    clock.advance(24 * 60 * MINUTE_MS);
    expect(await made.lease('session c')).toEqual(expect.any(String));
  });

  it('keep spare accounts open before they are needed', async () => {
    await maintain(accounts({ spare: 2 }), 3);
    const rows = await store.tables.receivingAccounts.all();
    expect(rows).toHaveLength(2);
    for (const { owner } of rows) {
      expect(await rpc.tokenAccount(associatedTokenAddress(owner, USDC_MINT))).not.toBeNull();
    }
  });
});

describe('a sweep', () => {
  it('moves what is left to the treasury once the lease is over', async () => {
    const owner = await accounts().lease('session a');
    await session('a', owner);
    await chain.fundUsdc(owner, 5_000_000n);
    await maintain(accounts(), 2);
    expect(await treasury()).toBe(0n);
    clock.advance(5 * MINUTE_MS);
    await maintain();
    expect(await treasury()).toBe(5_000_000n);
    expect(await leases()).toEqual([null]);
  });

  it('that was cut off before it was sent is sent by the next process, once', async () => {
    const owner = await accounts().lease('session a');
    await session('a', owner);
    await chain.fundUsdc(owner, 5_000_000n);
    clock.advance(5 * MINUTE_MS);
    const send = async () => {
      throw new Error('killed');
    };
    await maintain(accounts({}, { rpc: { ...rpc, send } }), 1);
    const [row] = await store.tables.receivingAccounts.all();
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
    expect([await treasury(), sends]).toEqual([5_000_000n, 1]);
    expect(await store.tables.claims.byMessage(row?.sweep ?? '')).toMatchObject({
      state: 'landed',
    });
  });

  it('is signed anew only when the one before can never land', async () => {
    const owner = await accounts().lease('session a');
    await session('a', owner);
    await chain.fundUsdc(owner, 5_000_000n);
    clock.advance(5 * MINUTE_MS);
    const lost = accounts({}, { rpc: { ...rpc, send: async () => 'lost' } });
    await maintain(lost, 2);
    const before = (await store.tables.receivingAccounts.all())[0]?.sweep;
    clock.advance(5 * MINUTE_MS);
    await maintain(lost, 1);
    expect(await store.tables.claims.byMessage(before ?? '')).toMatchObject({ state: 'expired' });
    await maintain();
    expect(await treasury()).toBe(5_000_000n);
  });

  it('takes money that came to a free account, which is reported', async () => {
    const owner = await accounts().lease('order never-made');
    clock.advance(11 * MINUTE_MS);
    await maintain(accounts(), 1);
    await chain.fundUsdc(owner, 1_000_000n);
    expect(await accounts().lease('session b')).not.toBe(owner);
    expect(String(reports[0])).toContain('its last order was: order never-made');
    await maintain();
    expect(await treasury()).toBe(1_000_000n);
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
