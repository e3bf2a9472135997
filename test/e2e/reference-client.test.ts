/** Software that is not ours: the public x402 client pays our merchant, Solana's libraries read our chain. */
import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { getAccount, getAssociatedTokenAddressSync, getMint } from '@solana/spl-token';
import { Connection, PublicKey } from '@solana/web3.js';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

const mint = new PublicKey(USDC_MINT);

let home: Home;
let sandbox: ServedSandbox;
let connection: Connection;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
  connection = new Connection(`${sandbox.url}/rpc`, 'confirmed');
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

async function rpc(method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
}

async function smallestFixedProduct(): Promise<{ product_id: string; price_usdc: string }> {
  const response = await fetch(`${sandbox.url}/v1/catalog?country_code=us&brand_name=Amazon.com`);
  const items = (await response.json()) as {
    product_id: string;
    is_range: boolean;
    price_usdc: string;
  }[];
  const fixed = items.filter((item) => !item.is_range);
  fixed.sort((a, b) => Number(a.price_usdc) - Number(b.price_usdc));
  const cheapest = fixed[0];
  if (!cheapest) throw new Error('Amazon.com has no fixed product');
  return cheapest;
}

describe('the public x402 v2 client', () => {
  it('pays for a gift card and gets its code', async () => {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
    await rpc('sandboxFaucet', [signer.address, { usdc: '100000000', lamports: '0' }]);
    const client = new x402Client().register(
      SOLANA_MAINNET,
      new ExactSvmScheme(signer, { rpcUrl: `${sandbox.url}/rpc` }),
    );
    client.setSpendControls(false);
    const pay = wrapFetchWithPayment(fetch, client);
    const product = await smallestFixedProduct();

    const response = await pay(`${sandbox.url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: 'reference@example.com',
        items: [{ product_id: product.product_id, beneficiary_account: 'friend@example.com' }],
      }),
    });

    expect(response.status).toBe(200);
    const receipt = (await response.json()) as { order_id: string };
    const settlement = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
    expect(settlement).toMatchObject({
      success: true,
      network: SOLANA_MAINNET,
      payer: signer.address,
    });
    const landed = await connection.getTransaction(settlement.transaction, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    expect(landed?.meta?.err).toBeNull();
    await expect
      .poll(() => deliveries(receipt.order_id), { timeout: 10_000 })
      .toMatchObject([
        { delivery_state: 'completed', voucher_code: expect.stringMatching(/^TEST-/) },
      ]);
  });

  async function deliveries(orderId: string): Promise<unknown> {
    const response = await fetch(`${sandbox.url}/v1/orders/${orderId}`);
    return ((await response.json()) as { deliveries?: unknown }).deliveries;
  }
});

describe('the public x402 facilitator client', () => {
  it('reads what is supported', async () => {
    const facilitator = new HTTPFacilitatorClient({ url: sandbox.url });
    const supported = await facilitator.getSupported();
    expect(supported.kinds).toMatchObject([
      {
        x402Version: 2,
        scheme: 'exact',
        network: SOLANA_MAINNET,
        extra: { feePayer: expect.any(String) },
      },
    ]);
  });
});

describe('web3.js and spl-token', () => {
  it('read mint, balances and token accounts', async () => {
    const owner = new PublicKey(randomBytes(32));
    await rpc('sandboxFaucet', [owner.toBase58(), { usdc: '1234567', lamports: '5000' }]);
    expect(await getMint(connection, mint)).toMatchObject({ decimals: 6, isInitialized: true });
    const account = await getAccount(connection, getAssociatedTokenAddressSync(mint, owner, true));
    expect(account.amount).toBe(1_234_567n);
    expect(await connection.getBalance(owner)).toBe(5000);
    expect(await connection.getGenesisHash()).toBe('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
  });
});
