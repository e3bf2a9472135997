/** x402's own packages at their defaults: clients pay our merchant, our command line pays a merchant of theirs. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { Connection, PublicKey } from '@solana/web3.js';
import { x402Client as AxiosX402Client, wrapAxiosWithPayment } from '@x402/axios';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmScheme as ExactSvmServer } from '@x402/svm/exact/server';
import axios from 'axios';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';
import { referenceFacilitator, rpc } from '../support/x402-payer.ts';

const mint = new PublicKey(USDC_MINT);

const home = makeHome();
const sandbox = await serveHere(home);
const connection = new Connection(`${sandbox.url}/rpc`, 'confirmed');

interface Bought {
  readonly receipt: { readonly order_id: string };
  readonly header: string;
}

async function smallProduct() {
  const query = 'country_code=mx&brand_name=Amazon.com.mx';
  const response = await fetch(`${sandbox.url}/v1/catalog?${query}`);
  const items = (await response.json()) as { product_id: string; is_range: boolean }[];
  return items.find((item) => item.is_range) ?? { product_id: '' };
}

/** Ten pesos: without a setting these clients pay no more than a dollar. */
async function smallOrder(): Promise<object> {
  const { product_id } = await smallProduct();
  const item = { product_id, product_value: 10, beneficiary_account: 'friend@example.com' };
  return { email: 'reference@example.com', items: [item] };
}

/** Each as its own README has it, with the chain of the sandbox. */
const BUYERS: readonly (readonly [string, (signer: KeyPairSigner) => Promise<Bought>])[] = [
  [
    '@x402/fetch',
    async (signer) => {
      const scheme = new ExactSvmScheme(signer, { rpcUrl: `${sandbox.url}/rpc` });
      const pay = wrapFetchWithPayment(fetch, new x402Client().register('solana:*', scheme));
      const response = await pay(`${sandbox.url}/v1/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(await smallOrder()),
      });
      const receipt = (await response.json()) as Bought['receipt'];
      return { receipt, header: response.headers.get('PAYMENT-RESPONSE') ?? '' };
    },
  ],
  [
    '@x402/axios',
    async (signer) => {
      const scheme = new ExactSvmScheme(signer, { rpcUrl: `${sandbox.url}/rpc` });
      const client = new AxiosX402Client().register('solana:*', scheme);
      const pay = wrapAxiosWithPayment(axios.create({ baseURL: sandbox.url }), client);
      const { data, headers } = await pay.post('/v1/orders', await smallOrder());
      return { receipt: data, header: headers['payment-response'] };
    },
  ],
];

async function fundedSigner(): Promise<KeyPairSigner> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await rpc(sandbox.url, 'sandboxFaucet', [signer.address, { usdc: '100000000', lamports: '0' }]);
  return signer;
}

describe.each(BUYERS)('%s', (_name, buyBy) => {
  it('pays for a gift card and gets its code', async () => {
    const signer = await fundedSigner();
    const { receipt, header } = await buyBy(signer);
    const settlement = decodePaymentResponseHeader(header);
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
      .poll(() => deliveries(receipt.order_id))
      .toMatchObject([
        { delivery_state: 'completed', voucher_code: expect.stringMatching(/^TEST-/) },
      ]);
  });

  async function deliveries(orderId: string): Promise<unknown> {
    const response = await fetch(`${sandbox.url}/v1/orders/${orderId}`);
    return ((await response.json()) as { deliveries?: unknown }).deliveries;
  }
});

/**
 * A merchant of x402's packages: their middleware in front of a shop, their facilitator
 * behind it. What is browsed comes from the sandbox.
 */
async function referenceMerchant(payTo: string) {
  const { facilitator, address } = await referenceFacilitator(`${sandbox.url}/rpc`);
  await rpc(sandbox.url, 'sandboxFaucet', [address, { usdc: '0', lamports: '1000000000' }]);
  const resources = new x402ResourceServer({
    getSupported: async () => ({
      kinds: [
        { x402Version: 2, scheme: 'exact', network: SOLANA_MAINNET, extra: { feePayer: address } },
      ],
      extensions: [],
      signers: {},
    }),
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
  }).register(SOLANA_MAINNET, new ExactSvmServer());
  const accepts = { scheme: 'exact', price: '$0.75', network: SOLANA_MAINNET, payTo } as const;
  const app = new Hono();
  app.use(
    paymentMiddleware(
      { 'POST /v1/orders': { accepts, description: 'A gift card', mimeType: 'application/json' } },
      resources,
    ),
  );
  const order = { order_id: 'ref_1', status: 'processing', poll_url: '/v1/orders/ref_1' };
  const orders: unknown[] = [];
  app.post('/v1/orders', async (context) => {
    orders.push(await context.req.json());
    return context.json(order);
  });
  app.get('/v1/orders/ref_1', (context) =>
    context.json({
      order_id: 'ref_1',
      status: 'completed',
      deliveries: [{ delivery_state: 'completed', voucher_code: 'REF-1234' }],
    }),
  );
  app.get('/v1/*', (context) => {
    const { pathname, search } = new URL(context.req.url);
    // `fetch` would unpack the body and keep the header that says it is packed.
    return fetch(sandbox.url + pathname + search, { headers: { 'accept-encoding': 'identity' } });
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('a merchant of @x402/hono and @x402/svm', () => {
  it('is bought from by our command line', async () => {
    const payTo = (await fundedSigner()).address;
    const merchant = await referenceMerchant(payTo);
    const chain = ['--rpc-url', `${sandbox.url}/rpc`];
    const flags = ['--checkout-url', merchant.url, ...chain];
    await fundedWallet(home, sandbox.flags);
    const { fixed } = amazonProducts();
    const bought = await buy(home, fixed.product_id, flags);
    expect(bought).toMatchObject({
      order_id: 'ref_1',
      status: 'completed',
      amount: '0.75',
      deliveries: [{ delivery_state: 'completed', voucher_code: expect.any(String) }],
    });
    expect(merchant.orders).toHaveLength(1);
    const held = await connection.getParsedTokenAccountsByOwner(new PublicKey(payTo), { mint });
    expect(held.value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('100750000');
    await merchant.close();
  });
});
