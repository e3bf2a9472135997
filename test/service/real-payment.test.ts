/** The same routes with nothing faked: real transactions on the embedded chain, real store on disk. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  WireCatalogItem,
  WireOrderReceipt,
  WireOrderStatus,
} from '../../src/contract/checkout.ts';
import {
  encodeHeader,
  type PaymentRequirement,
  SESSION_HEADER,
  SOLANA_MAINNET,
  USDC_MINT,
  X402_VERSION,
} from '../../src/contract/x402.ts';
import { atomic, parseAtomic } from '../../src/domain/money/money.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Body, bodyOf, paymentResponse } from '../support/checkout-host.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { tagOf } from '../support/rails.ts';
import { tempFolder } from '../support/temp-folder.ts';

const BASE = 'http://sandbox.invalid';
const dataDir = tempFolder();
const clock = skippingClock();
const signer = signerFromSeed(new Uint8Array(32).fill(5));
const FUNDS = 500_000_000n;

let sandbox: Sandbox;
const open = () =>
  openSandbox({
    dataDir,
    clock,
    baseUrl: BASE,
    random: (length) => new Uint8Array(randomBytes(length)),
  });

beforeAll(async () => {
  sandbox = await open();
  await sandbox.fund(signer.address, { usdcAtomic: FUNDS, lamports: 0n });
});
afterAll(async () => {
  await sandbox.close();
});

const get = async <T>(path: string): Promise<T> => bodyOf(await send(path));
const send = (path: string, init?: RequestInit) => sandbox.handle(new Request(BASE + path, init));
const postOrder = (order: unknown, headers: Record<string, string> = {}) =>
  send('/v1/orders', { method: 'POST', body: JSON.stringify(order), headers });

function rail() {
  const rpc = createSolanaRpc({
    url: `${BASE}/rpc`,
    fetch: (url, init) => sandbox.fetch(url, init),
    clock,
  });
  return createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
}

async function orderOf(beneficiary: string) {
  const items = await get<WireCatalogItem[]>('/v1/catalog?country_code=us&brand_name=Amazon.com');
  const product = items.find(({ is_range }) => !is_range);
  return {
    email: 'you@example.com',
    items: [{ product_id: product?.product_id, beneficiary_account: beneficiary }],
  };
}

interface Signed {
  readonly amount: bigint;
  readonly headers: Record<string, string>;
}

/** Phase 1, and a signed payment of what it asks for, or of another amount. */
async function sign(order: unknown, more: { amount?: bigint } = {}): Promise<Signed> {
  const response = await postOrder(order);
  const { accepts } = await bodyOf<{ accepts: [PaymentRequirement] }>(response);
  const [requirement] = accepts;
  const amount = parseAtomic(requirement.maxAmountRequired ?? '');
  const { transaction } = await rail().sign({
    requirement: more.amount === undefined ? requirement : withAmount(requirement, more.amount),
    amountAtomic: atomic(more.amount ?? amount),
    signer,
    tag: tagOf(0),
    way: 'x402',
  });
  const payload = {
    x402Version: X402_VERSION,
    scheme: 'exact',
    network: SOLANA_MAINNET,
    payload: { transaction },
  };
  return {
    amount,
    headers: {
      'PAYMENT-SIGNATURE': encodeHeader(payload),
      [SESSION_HEADER]: response.headers.get(SESSION_HEADER) ?? '',
    },
  };
}

function withAmount(requirement: PaymentRequirement, amount: bigint): PaymentRequirement {
  const text = amount.toString();
  return { ...requirement, amount: text, maxAmountRequired: text };
}

const balance = async () => (await rail().balances(signer.address)).usdcAtomic ?? 0n;

describe('an order paid on the embedded chain', () => {
  it('moves the amount once and delivers a code, however often it is sent', async () => {
    const order = await orderOf('friend@example.com');
    const before = await balance();
    const { amount, headers } = await sign(order);
    const first = await postOrder(order, headers);
    const receipt = await bodyOf<WireOrderReceipt>(first);
    expect(first.status).toBe(200);
    expect(paymentResponse(first)).toMatchObject({ success: true, payer: signer.address });
    const again = await postOrder(order, headers);
    expect(await bodyOf<unknown>(again)).toEqual(receipt);
    expect(paymentResponse(again)).toEqual(paymentResponse(first));
    expect(before - (await balance())).toBe(amount);

    await sandbox.tick();
    const status = await get<WireOrderStatus>(`/v1/orders/${receipt.order_id}`);
    expect(status.status).toBe('completed');
    expect(status.deliveries?.[0]?.voucher_code).toMatch(/^TEST-/);
  });

  it('answers the same after the service was closed and opened again', async () => {
    const order = await orderOf('friend@example.com');
    const { headers } = await sign(order);
    const receipt = await bodyOf<WireOrderReceipt>(await postOrder(order, headers));
    await sandbox.close();
    sandbox = await open();
    clock.advance(3_600_000);
    const again = await postOrder(order, headers);
    expect([again.status, await bodyOf<unknown>(again)]).toEqual([200, receipt]);
    await sandbox.tick();
    expect((await get<WireOrderStatus>(`/v1/orders/${receipt.order_id}`)).status).toBe('completed');
  });

  it('is refused with the facilitator’s reason when the amount is another', async () => {
    const order = await orderOf('friend@example.com');
    const before = await balance();
    const { headers } = await sign(order, { amount: 1n });
    const response = await postOrder(order, headers);
    expect(response.status).toBe(402);
    expect(await bodyOf<Body>(response)).toMatchObject({
      error: 'payment_invalid',
      reason: 'invalid_exact_svm_payload_amount_mismatch',
    });
    expect(await balance()).toBe(before);
  });

  it('is refused when its blockhash is too old to wait for the outcome', async () => {
    const order = await orderOf('friend@example.com');
    const { headers } = await sign(order);
    clock.advance(40_000);
    const late = await postOrder(order, headers);
    expect([late.status, (await bodyOf(late)).reason]).toEqual([
      402,
      'invalid_exact_svm_payload_blockhash_too_old',
    ]);
  });
});
