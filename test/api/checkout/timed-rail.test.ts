/** A purchase over a rail that no code in src knows: payments are valid by time and end without a proof of failure. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { decodeHeader, encodeHeader, paymentPayload } from '../../../src/contract/x402.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { createVault } from '../../../src/wallet/vault.ts';
import { purchase } from '../../support/purchase.ts';
import {
  aRequest,
  CHECKOUT_URL,
  makeWorld,
  PRICE,
  type World,
} from '../../support/purchase-world.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';
import {
  TIMED_ASSET,
  TIMED_NETWORK,
  type TimedChain,
  timedChain,
  timedSigner,
} from '../../support/timed-rail.ts';

const signer = timedSigner('buyer');
let world: World;
let chain: TimedChain;
let refusals: number;
let dir: string;
beforeEach(async () => {
  world = await makeWorld();
  chain = timedChain(world.clock);
  chain.fund(signer.address, 100_000_000n);
  refusals = 0;
  dir = mkdtempSync(join(tmpdir(), 'timed-'));
});
afterEach(() => {
  world.close();
  rmSync(dir, { recursive: true });
});

const required = {
  x402Version: 2,
  accepts: [
    {
      scheme: 'exact',
      network: TIMED_NETWORK,
      amount: PRICE.toString(),
      asset: TIMED_ASSET,
      payTo: timedSigner('merchant').address,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
};

/** A merchant that settles what it is sent; the first payments never reach it where they are refused. */
const fetch: Fetch = async (url, init = {}) => {
  const header = init.headers?.['PAYMENT-SIGNATURE'];
  if (url === `${CHECKOUT_URL}/v1/orders/cr_1`) {
    const deliveries = [{ delivery_state: 'completed', voucher_code: 'TEST-1' }];
    return jsonReply(200, { order_id: 'cr_1', status: 'completed', deliveries });
  }
  if (header === undefined) {
    const headers = { 'PAYMENT-REQUIRED': encodeHeader(required) };
    return jsonReply(402, { ...required, error: 'payment required' }, headers);
  }
  if (refusals > 0) {
    refusals -= 1;
    return jsonReply(503, { error: 'facilitator_unavailable' });
  }
  const { payload } = paymentPayload().parse(decodeHeader(header));
  const transaction = chain.settle(payload);
  if (transaction === undefined) return jsonReply(402, { error: 'payment_invalid', message: 'no' });
  const settled = { success: true, transaction, network: TIMED_NETWORK };
  const headers = { 'PAYMENT-RESPONSE': encodeHeader(settled) };
  return jsonReply(200, { order_id: 'cr_1', status: 'processing' }, headers);
};

const books = () => openJournal({ dir, payer: signer.address });
const buy = async () => {
  const own = { rail: chain.rail, signer, vault: await createVault(signer), journal: books() };
  return purchase(world.deps({ fetch, ...own }), aRequest());
};
const held = async () => (await chain.rail.balances(signer.address)).usdcAtomic;

it('is paid once and delivered, and its record survives the disk', async () => {
  expect(await buy()).toMatchObject({ kind: 'delivered', signatures: 1 });
  expect(await buy()).toMatchObject({ kind: 'delivered', signatures: 0 });
  expect(await held()).toBe(100_000_000n - PRICE);
  const [entry] = await books().all();
  expect(entry?.attempts).toMatchObject([
    { asset: TIMED_ASSET, authorization: { to: expect.any(String) } },
  ]);
});

it('is signed anew when the time of the first payment is over, and not before', async () => {
  const startMs = world.clock.now();
  refusals = 1_000;
  const first = await buy();
  expect(first).toMatchObject({ kind: 'unknown' });
  const [entry] = await books().all();
  expect(entry?.attempts).toHaveLength(1);
  refusals = 0;
  world.clock.set(Math.max(world.clock.now(), startMs + 10 * 60_000));
  expect(await buy()).toMatchObject({ kind: 'delivered' });
  expect(await held()).toBe(100_000_000n - PRICE);
});
