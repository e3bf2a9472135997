/** A flood of requests that are not paid, against a host whose sessions share ten accounts. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { SESSION_HEADER } from '../../src/contract/x402.ts';
import type { MerchantRail } from '../../src/rails/merchant-rail.ts';
import { OPENING_RENT } from '../../src/rails/solana/open-account.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/endpoint.ts';
import { createShopTransfers } from '../../src/service/shop-transfers.ts';
import { type Accounts, createAccounts } from '../../src/shop/accounts.ts';
import { claimsOf } from '../../src/storage/claims.ts';
import { openSqliteChain, openSqliteStore } from '../../src/storage/sqlite.ts';
import type { Store } from '../../src/storage/store.ts';
import { checkoutHost, fail, fakeRail, type Host, ORDER } from '../support/checkout-host.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { FEE_PAYER, STRANGER } from '../support/solana-payment.ts';

const MOST = 10;

let clock: ManualClock;
let store: Store;
let accounts: Accounts;
let host: Host;
let close: () => Promise<unknown>;
beforeEach(async () => {
  clock = skippingClock();
  store = await openSqliteStore(':memory:');
  const chainStore = await openSqliteChain(':memory:');
  close = () => Promise.all([store.close(), chainStore.close()]);
  const chain = await openChain({ store: chainStore, clock });
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  const answer = createRpcEndpoint(chain);
  const fetch: Fetch = (url, init) => answer(new Request(url, init));
  const rpc = createSolanaRpc({ url: 'http://chain.invalid/rpc', fetch, clock });
  const parts = { store, rpc, clock, feePayer: FEE_PAYER };
  const random = (length: number) => new Uint8Array(length);
  accounts = createAccounts({
    ...parts,
    draw: (purpose) => createHmac('sha256', 'seed').update(purpose).digest(),
    treasury: STRANGER.address,
    limits: {
      most: MOST,
      spare: 0,
      rentLamportsPerDay: 100n * OPENING_RENT,
      lateMs: 3_600_000,
    },
    transfers: createShopTransfers({ ...parts, claims: claimsOf(store), random }),
    report: () => undefined,
  });
  const rail: MerchantRail = {
    ...fakeRail,
    requirement: async (input) => {
      const payTo = await accounts.lease(`session ${input.sessionId}`, input.caller);
      const { requirement } = await fakeRail.requirement(input);
      return { requirement: { ...requirement, payTo }, destination: `account-of-${payTo}` };
    },
  };
  host = await checkoutHost({ store, clock, rail });
});
afterEach(() => close());

interface Asked {
  readonly status: number;
  /** What phase 2 needs. */
  pay(): Promise<Response>;
}

async function ask(address: string): Promise<Asked> {
  const response = await host.post('/v1/orders', ORDER, {}, { address });
  const sessionId = response.headers.get(SESSION_HEADER) ?? '';
  const body = JSON.parse(await response.text());
  const asked = { body: ORDER, sessionId, requirement: body.accepts?.[0] };
  return { status: response.status, pay: () => host.pay(asked, { address }) };
}

async function flood(): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (let host = 1; asked.at(-1)?.status !== 503; host += 1) {
    asked.push(await ask(`198.51.100.${host}`));
  }
  return asked;
}

describe('a flood from one network', () => {
  it('leaves callers of other networks served, and its own not', async () => {
    const flooded = await flood();
    expect(flooded.filter(({ status }) => status === 402)).toHaveLength(MOST);
    const others = ['203.0.113.1', '192.0.2.1', '2001:db8:1:2::/64', '2001:db8:2:2::/64'];
    for (const address of others) {
      const { status, pay } = await ask(address);
      expect([address, status]).toEqual([address, 402]);
      expect((await pay()).status).toBe(200);
      expect((await ask('198.51.100.200')).status).toBe(503);
    }
    expect(host.script.settled).toHaveLength(others.length);
  });

  it('is one network by /24 and by /56', async () => {
    for (let last = 0; last < MOST; last += 1) {
      expect((await ask(`2001:db8:1:${last.toString(16)}::/64`)).status).toBe(402);
    }
    expect((await ask('2001:db8:1:ff::/64')).status).toBe(503);
    expect((await ask('2001:db8:1:100::/64')).status).toBe(402);
  });

  it('a session that lost its account is refused its payment, and nothing is sent', async () => {
    const [oldest] = await flood();
    const newcomer = await ask('203.0.113.1');
    const refused = await oldest?.pay();
    expect(refused?.status).toBeGreaterThanOrEqual(400);
    expect(refused?.status).toBeLessThan(500);
    expect(host.script.settled).toEqual([]);
    expect((await newcomer.pay()).status).toBe(200);
  });

  it('no session loses its account once its payment has begun', async () => {
    host.script.settle = fail('settlement_pending', 'tx-1');
    const first = await ask('198.51.100.1');
    expect((await first.pay()).status).toBe(200);
    await flood();
    for (let net = 1; net <= MOST; net += 1) await ask(`192.0.${net}.1`);
    const rows = await store.tables.receivingAccounts.all();
    const [settlement] = await store.tables.settlements.due(Number.MAX_SAFE_INTEGER, 1);
    expect(rows.map(({ lease }) => lease)).toContain(`session ${settlement?.sessionId}`);
  });
});

describe('a flood from very many networks', () => {
  it('leaves those served who paid before', async () => {
    const payer = '203.0.113.1';
    expect((await (await ask(payer)).pay()).status).toBe(200);
    await clock.sleep(120_000);
    for (let pass = 0; pass < 12; pass += 1) {
      await accounts.maintain();
      clock.advance(5_000);
    }
    for (let net = 1; net <= MOST; net += 1) await ask(`192.0.${net}.1`);
    expect((await ask('192.0.200.1')).status).toBe(503);
    expect((await ask(payer)).status).toBe(402);
    expect((await ask(payer)).status).toBe(402);
  });
});

describe('orders of the partner API', () => {
  it('keep a quarter of the accounts free for sessions', async () => {
    const leases = Array.from({ length: MOST }, (_, at) => `order ${at}` as const);
    const results = [];
    for (const lease of leases) {
      results.push(await accounts.lease(lease).then(Boolean, ({ code }) => code));
    }
    expect(results.filter((one) => one === true)).toHaveLength(8);
    expect(results.at(-1)).toBe('SHOP_FULL');
    expect((await ask('198.51.100.1')).status).toBe(402);
  });

  it('take accounts from a flood of sessions', async () => {
    await flood();
    expect(await accounts.lease('order 1')).toEqual(expect.any(String));
  });
});
