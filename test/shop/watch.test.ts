/** What it costs to look for the payments of many open orders behind an RPC. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { addressFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import { atOnce } from '../../src/service/partner/orders/progress.ts';
import { lookDue, unchecked } from '../../src/service/partner/orders/reconcile.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenAccount } from '../support/fake-rpc.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { partnerOrderRow } from '../support/store-suite.ts';

const OPEN = 1_000;
const START_MS = partnerOrderRow().createdAtMs;
const ownerOf = (order: number): string =>
  addressFromSeed(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? order >> (8 * at) : 1)));
const idOf = (order: number): string =>
  `00000000-0000-4000-8000-${String(order).padStart(12, '0')}`;

let store: Store;
beforeAll(async () => {
  store = await openSqliteStore(':memory:');
  await store.write(async ({ partnerOrders }) => {
    for (let order = 0; order < OPEN; order += 1) {
      const own = { orderId: idOf(order), walletAddress: ownerOf(order) };
      await partnerOrders.insert(partnerOrderRow({ ...own, coinAmountAtomic: '100' }), []);
    }
  });
});
afterAll(() => store.close());

/** A node that answers in batches, counts the calls in them, and has these balances. */
function nodeOf(clock: ManualClock, balances: ReadonlyMap<string, bigint>) {
  const counts: Record<string, number> = {};
  const answer = (method: string, [first]: readonly unknown[]): unknown => {
    counts[method] = (counts[method] ?? 0) + 1;
    const infoOf = (account: unknown) => {
      const amount = balances.get(String(account));
      if (amount === undefined) return null;
      const { lamports, owner, data } = tokenAccount(ownerOf(0), amount);
      const bytes = Buffer.from(data).toString('base64');
      return { lamports: Number(lamports), owner, data: [bytes, 'base64'], executable: false };
    };
    if (method === 'getMultipleAccounts') return { value: (first as string[]).map(infoOf) };
    if (method === 'getAccountInfo') return { value: infoOf(first) };
    return [];
  };
  const rpc = createSolanaRpc({
    url: 'https://rpc.example',
    clock,
    fetch: async (_url, { body } = {}) => {
      const calls: readonly { id: number; method: string; params: unknown[] }[] = [
        JSON.parse(String(body)),
      ].flat();
      const replies = calls.map(({ id, method, params }) => ({
        id,
        result: answer(method, params),
      }));
      return new Response(JSON.stringify(String(body).startsWith('[') ? replies : replies[0]));
    },
  });
  return { rpc, counts };
}

it('a thousand open orders cost ten calls a round, and a changed balance its history', async () => {
  const clock = manualClock(START_MS);
  const balances = new Map<string, bigint>();
  const { rpc, counts } = nodeOf(clock, balances);
  const watch = createSolanaWatch({ rpc, mints: { USDC: USDC_MINT } });
  const writes = { count: 0 };
  const counted: Store = {
    ...store,
    write: (work) => {
      writes.count += 1;
      return store.write(work);
    },
  };
  const deps = { store: counted, watch, clock, compliance: unchecked, setup: atOnce };
  await lookDue(deps, OPEN);
  expect(counts).toEqual({ getMultipleAccounts: 10 });
  // One leases them, one puts them off.
  expect(writes.count).toBe(2);

  await lookDue(deps, OPEN);
  expect(counts).toEqual({ getMultipleAccounts: 10 });

  clock.advance(1_000);
  balances.set(associatedTokenAddress(ownerOf(7), USDC_MINT), 40n);
  await lookDue(deps, OPEN);
  expect(counts).toEqual({
    getMultipleAccounts: 20,
    // The node shows a balance without a transaction, so both are read a second time.
    getAccountInfo: 2,
    getSignaturesForAddress: 2,
  });
  expect(await store.tables.partnerOrders.byId(idOf(7))).toMatchObject({ seenAtomic: '40' });
});

it('an order is looked for the more seldom the older it is', async () => {
  const clock = manualClock(START_MS + 60_000);
  const { rpc, counts } = nodeOf(clock, new Map());
  const watch = createSolanaWatch({ rpc, mints: { USDC: USDC_MINT } });
  const deps = { store, watch, clock, compliance: unchecked, setup: atOnce };
  const looksIn = async (fromMs: number, forMs: number) => {
    clock.advance(START_MS + fromMs - clock.now());
    await lookDue(deps, OPEN);
    counts.getMultipleAccounts = 0;
    for (let at = 0; at < forMs; at += 1_000) {
      clock.advance(1_000);
      await lookDue(deps, OPEN);
    }
    return (counts.getMultipleAccounts ?? 0) / 10;
  };
  expect(await looksIn(120_000, 6_000)).toBe(6);
  expect(await looksIn(6 * 60_000, 6_000)).toBe(2);
});
