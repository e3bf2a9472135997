/** The purchase against the real service, the real rail and the embedded chain. */

import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import { paymentIdOf } from '../../../src/api/payment/payment-tag.ts';
import { repairJournal } from '../../../src/api/recovery/journal-repair.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import {
  decodeHeader,
  extensionIn,
  PAYMENT_IDENTIFIER,
  paymentIdentifier,
  paymentPayload,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../../src/contract/x402.ts';
import type { Atomic } from '../../../src/domain/money/money.ts';
import type { Signer } from '../../../src/rails/rail.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import { createFacilitator } from '../../../src/rails/solana/facilitator.ts';
import { createSolanaPayer } from '../../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../../src/rails/solana/rpc.ts';
import { openJournalCare } from '../../../src/records/journal-care.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createVault } from '../../../src/wallet/vault.ts';
import { buyerTools, quotedRequest } from '../../support/buyer.ts';
import { skippingClock } from '../../support/manual-clock.ts';
import { purchase } from '../../support/purchase.ts';
import { tagOf } from '../../support/rails.ts';
import { drawn } from '../../support/random.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const BASE = 'http://sandbox.example';
const FUNDED = 100_000_000n;
const clock = skippingClock();
const signer = signerFromSeed(new Uint8Array(32).fill(9));

let dir: string;
let sandbox: Sandbox;
const random = drawn();

beforeEach(async () => {
  dir = tempFolder();
  sandbox = await openSandbox({ dataDir: join(dir, 'sandbox'), clock, random, baseUrl: BASE });
  await sandbox.fund(signer.address, { usdcAtomic: FUNDED, lamports: 0n });
});
afterEach(async () => {
  await sandbox.close();
});

/** The service as an embedded one: every call moves orders on. */
const direct: Fetch = async (url, init) => {
  const reply = await sandbox.fetch(url, init);
  await sandbox.tick();
  return reply;
};

/** Loses the first paid calls, on their way there or on their way back. */
function losing(way: 'there' | 'back', count: number): Fetch {
  let paid = 0;
  return async (url, init) => {
    const isPaid = init?.headers?.['PAYMENT-SIGNATURE'] !== undefined;
    paid += isPaid ? 1 : 0;
    const isLost = isPaid && paid <= count;
    if (isLost && way === 'there') throw new TypeError('fetch failed');
    const reply = await direct(url, init);
    if (isLost) throw new TypeError('fetch failed');
    return reply;
  };
}

const rail = () =>
  createSolanaPayer({
    rpc: createSolanaRpc({ url: `${BASE}/rpc`, fetch: direct, clock }),
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
  });

const deps = async (fetch: Fetch = direct, payer = signer): Promise<PurchaseDeps> => {
  const journalDir = join(dir, 'journal');
  const tools = { fetch, baseUrl: BASE, journalDir, signer: payer, clock, random };
  return { ...(await buyerTools(tools)), host: 'embedded:test' };
};

const aRequest = () =>
  quotedRequest({ fetch: direct, baseUrl: BASE, clock }, { key: 'key-1', email: 'a@example.com' });

/** The buyer's own name for the order, in a payment as it was sent. */
function nameIn(header: string): string {
  const { extensions } = paymentPayload().parse(decodeHeader(header));
  return paymentIdentifier().parse(extensionIn(extensions, PAYMENT_IDENTIFIER)).info.id ?? '';
}

/** What left the wallet, by the chain's own account. */
async function spent(): Promise<bigint> {
  const { usdcAtomic } = await rail().balances(signer.address);
  return FUNDED - (usdcAtomic ?? 0n);
}

describe('buying from the embedded service', () => {
  it('moves exactly the price, once, and brings a code', async () => {
    const request = await aRequest();
    const outcome = await purchase(await deps(), request);
    expect(outcome).toMatchObject({
      kind: 'delivered',
      deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
      payment: { amountAtomic: request.quotedAtomic },
    });
    expect(await spent()).toBe(request.quotedAtomic);
    const id = outcome.payment?.transaction ?? '';
    expect(await sandbox.chain?.transaction(id, 'processed')).toMatchObject({ error: null });
  });

  it('with replies lost pays once', async () => {
    const request = await aRequest();
    const outcome = await purchase(await deps(losing('back', 3)), request);
    expect(outcome).toMatchObject({ kind: 'delivered' });
    expect(await spent()).toBe(request.quotedAtomic);
  });

  it('with requests lost until the payment is dead signs again, and pays once', async () => {
    const request = await aRequest();
    const patient = await deps(losing('there', 20));
    expect(await purchase(patient, request)).toMatchObject({ kind: 'delivered' });
    expect(await spent()).toBe(request.quotedAtomic);
    const [entry] = await patient.journal.all();
    expect(entry?.attempts.length).toBe(2);
  });

  it('names every payment of a purchase alike, by a text that wallet, host and key make', async () => {
    const request = await aRequest();
    const patient = await deps(losing('there', 20));
    await purchase(patient, request);
    const [entry] = await patient.journal.all();
    const ids = entry?.attempts.map(({ header }) => nameIn(header)) ?? [];
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(ids[0]).toMatch(/^scrip_[0-9a-f]{64}$/);
    const settled = await sandbox.store.tables.settlements.byPaymentId(ids[0] ?? '');
    expect(settled).toMatchObject({ state: 'settled', payer: signer.address });
    const [host, key] = [patient.host, 'key-1'];
    const otherVault = await createVault(signerFromSeed(new Uint8Array(32).fill(11)));
    const others = [
      paymentIdOf(patient.vault, { host, key: 'key-2' }),
      paymentIdOf(patient.vault, { host: 'embedded:other', key }),
      paymentIdOf(otherVault, { host, key }),
    ];
    expect(new Set([ids[0], ...others]).size).toBe(4);
    expect(paymentIdOf(await createVault(signer), { host, key })).toBe(ids[0]);
  });

  it('two at once with one key pay once, for one order', async () => {
    const request = await aRequest();
    const both = await Promise.all([
      purchase(await deps(), request),
      purchase(await deps(), request),
    ]);
    expect(new Set(both.map(({ orderId }) => orderId)).size).toBe(1);
    expect(both.map(({ kind }) => kind)).toEqual(['delivered', 'delivered']);
    expect(await spent()).toBe(request.quotedAtomic);
  });
});

describe('a journal that is lost', () => {
  const payer = signer.address;
  const lose = () => rmSync(join(dir, 'journal'), { recursive: true });
  const repaired = async () => {
    const care = openJournalCare({ dir: join(dir, 'journal'), payer, stamp: () => 'x' });
    return repairJournal({ ...(await deps()), care, payer, ownOrders: async () => [] });
  };
  const repairedWithoutRecords = () => {
    const folder = join(dir, 'journal', payer, createHash('sha256').update('key-1').digest('hex'));
    for (const name of readdirSync(folder)) {
      if (name !== 'intent.rec') writeFileSync(join(folder, name), 'x');
    }
    return repaired();
  };

  it('does not make a key pay twice: the first payment is found by its mark, and finished', async () => {
    const request = await aRequest();
    const first = await purchase(await deps(), request);
    clock.advance(60_000);
    lose();
    const again = await purchase(await deps(), request);
    expect(again).toMatchObject({
      kind: 'delivered',
      orderId: first.orderId,
      payment: { transaction: first.payment?.transaction },
    });
    expect(again.kind === 'delivered' && again.deliveries).toEqual(
      first.kind === 'delivered' && first.deliveries,
    );
    expect(await spent()).toBe(request.quotedAtomic);
  });

  it('leaves another key, and another wallet, to buy for themselves', async () => {
    const request = await aRequest();
    await purchase(await deps(), request);
    clock.advance(60_000);
    lose();
    const other = await purchase(await deps(), { ...request, key: 'key-2' });
    expect(other).toMatchObject({ kind: 'delivered' });
    expect(await spent()).toBe(request.quotedAtomic * 2n);
  });

  it('is written anew by doctor, and the key whose payment it was is still known', async () => {
    const request = await aRequest();
    const first = await purchase(await deps(), request);
    clock.advance(60_000);
    lose();
    const report = await repaired();
    expect(report.lines).toMatchObject([
      { outcome: 'found on the chain', detail: first.payment?.transaction },
    ]);
    await expect(purchase(await deps(), request)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { intent_id: report.lines[0]?.intentId },
    });
    expect(await spent()).toBe(request.quotedAtomic);
  });

  it('of which the payment’s record alone is lost gets order and goods back from chain and merchant', async () => {
    const request = await aRequest();
    const first = await purchase(await deps(), request);
    clock.advance(60_000);
    const report = await repairedWithoutRecords();
    expect(report.lines.map(({ outcome }) => outcome)).toEqual(['restored']);
    const again = await purchase(await deps(), request);
    expect(again).toMatchObject({ kind: 'delivered', orderId: first.orderId });
    expect(await spent()).toBe(request.quotedAtomic);
  });

  it('of which the payment’s record alone is lost is given no other payment for its order', async () => {
    const request = await aRequest();
    const first = await purchase(await deps(), request);
    const stray = await payElsewhere(request.quotedAtomic);
    clock.advance(60_000);
    const report = await repairedWithoutRecords();
    expect(report.lines).toMatchObject([
      { outcome: 'restored' },
      { outcome: 'found on the chain', detail: stray },
    ]);
    const again = await purchase(await deps(), request);
    expect(again).toMatchObject({
      kind: 'delivered',
      orderId: first.orderId,
      payment: { transaction: first.payment?.transaction, isFinalized: true },
    });
  });
});

/** A payment of the same amount to another merchant, through a facilitator of its own. */
async function payElsewhere(amountAtomic: Atomic): Promise<string> {
  const [feePayer, merchant] = [12, 13].map((seed) =>
    signerFromSeed(new Uint8Array(32).fill(seed)),
  ) as [Signer, Signer];
  await sandbox.fund(feePayer.address, { usdcAtomic: 0n, lamports: 1_000_000_000n });
  await sandbox.fund(merchant.address, { usdcAtomic: 1n, lamports: 0n });
  const amount = amountAtomic.toString();
  const requirement = {
    scheme: 'exact' as const,
    network: SOLANA_MAINNET,
    amount,
    asset: USDC_MINT,
    payTo: merchant.address,
    extra: { feePayer: feePayer.address },
  };
  const { transaction } = await rail().sign({
    way: 'x402',
    requirement,
    amountAtomic,
    signer,
    tag: tagOf(7),
  });
  const rpc = createSolanaRpc({ url: `${BASE}/rpc`, fetch: direct, clock });
  const { claims } = sandbox.store.tables;
  const means = { network: SOLANA_MAINNET, mint: USDC_MINT, confirmTimeoutMs: 30_000 };
  const facilitator = createFacilitator({ rpc, feePayer, claims, clock, ...means });
  const payload = { x402Version: 2 as const, accepted: requirement, payload: { transaction } };
  const settled = await facilitator.settle(payload, requirement);
  expect(settled).toMatchObject({ success: true });
  return settled.transaction;
}
