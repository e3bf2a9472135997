/** x402's own clients at their defaults pay our merchant on Base, also where they or the network misbehave. */
import { x402Client as AxiosX402Client, wrapAxiosWithPayment } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import axios from 'axios';
import { createPublicClient, http } from 'viem';
import { base } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { BASE } from '../../src/contract/usdc.ts';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_IDENTIFIER,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_SIGNATURE_HEADER,
} from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { evmAccount } from '../support/live-evm.ts';
import { serveHere } from '../support/served-here.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

type Account = ReturnType<typeof evmAccount>;

interface Bought {
  readonly receipt: { readonly order_id: string };
  readonly header: string;
}

const FUNDS = 100_000_000n;
const sandbox = await serveHere(makeHome());
const url = `${sandbox.url}/v1/orders`;
const chain = createPublicClient({ chain: base, transport: http(`${sandbox.url}/rpc/base`) });
const products = await fetch(`${sandbox.url}/v1/catalog?country_code=mx&brand_name=Amazon.com.mx`);
const items = (await products.json()) as { product_id: string; is_range: boolean }[];
const productId = items.find((item) => item.is_range)?.product_id;

/** Ten pesos: without a setting these clients pay no more than a dollar. */
const ORDER = {
  email: 'reference@example.com',
  items: [{ product_id: productId, product_value: 10, beneficiary_account: 'friend@example.com' }],
};
const REQUEST: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(ORDER),
};

/** Each as its own README has it. */
const BUYERS: readonly (readonly [string, (account: Account) => Promise<Bought>])[] = [
  ['@x402/fetch', async (account) => boughtBy(await payerOf(account)(url, REQUEST))],
  [
    '@x402/axios',
    async (account) => {
      const client = new AxiosX402Client().register('eip155:*', new ExactEvmScheme(account));
      const pay = wrapAxiosWithPayment(axios.create({ baseURL: sandbox.url }), client);
      const { data, headers } = await pay.post('/v1/orders', ORDER);
      return { receipt: data, header: headers['payment-response'] };
    },
  ],
];

function clientOf(account: Account): x402Client {
  return new x402Client().register('eip155:*', new ExactEvmScheme(account));
}

function payerOf(account: Account, transport: typeof fetch = fetch, client = clientOf(account)) {
  return wrapFetchWithPayment(transport, client);
}

async function boughtBy(response: Response): Promise<Bought> {
  expect(response.status).toBe(200);
  const receipt = (await response.json()) as Bought['receipt'];
  return { receipt, header: response.headers.get('PAYMENT-RESPONSE') ?? '' };
}

async function funded(name: string): Promise<Account> {
  const account = evmAccount(name);
  const params = [account.address, { usdc: String(FUNDS), wei: '0' }];
  await fetch(`${sandbox.url}/rpc/base`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandboxFaucet', params }),
  });
  return account;
}

/** Of all the payments of an account: the amounts that left it, as the chain shows them. */
async function paidBy({ address }: Account): Promise<readonly bigint[]> {
  const at = { address: USDC, abi: USDC_ABI } as const;
  const events = await chain.getContractEvents({
    ...{ ...at, eventName: 'Transfer', args: { from: address }, fromBlock: 0n },
  });
  const amounts = events.map(({ args }) => args.value ?? 0n);
  const held = await chain.readContract({ ...at, functionName: 'balanceOf', args: [address] });
  expect(held).toBe(FUNDS - amounts.reduce((sum, amount) => sum + amount, 0n));
  return amounts;
}

async function deliveries(orderId: string): Promise<unknown> {
  const response = await fetch(`${url}/${orderId}`);
  return ((await response.json()) as { deliveries?: unknown }).deliveries;
}

/** Delivers what is sent, and loses the first replies to payments. */
function losingReplies(count: number) {
  const sent: string[] = [];
  const transport: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const signature = request.headers.get(PAYMENT_SIGNATURE_HEADER);
    const response = await fetch(request);
    if (signature === null) return response;
    sent.push(signature);
    if (sent.length > count) return response;
    await response.body?.cancel();
    throw new TypeError('fetch failed');
  };
  return { sent, transport };
}

describe.each(BUYERS)('%s', (name, buyBy) => {
  it('pays for a gift card and gets its code', async () => {
    const account = await funded(name);
    const { receipt, header } = await buyBy(account);
    const settlement = decodePaymentResponseHeader(header);
    expect(settlement).toMatchObject({ success: true, network: BASE, payer: account.address });
    const hash = settlement.transaction as `0x${string}`;
    expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await paidBy(account)).toHaveLength(1);
    await expect
      .poll(() => deliveries(receipt.order_id))
      .toMatchObject([
        { delivery_state: 'completed', voucher_code: expect.stringMatching(/^TEST-/) },
      ]);
  });

  it('buys five times at once, and pays for each once', async () => {
    const account = await funded(`${name} five`);
    const bought = await Promise.all(Array.from({ length: 5 }, () => buyBy(account)));
    // Where the machine is busy, a settlement is told before it is decided.
    const settlements = bought.map(({ header }) => decodePaymentResponseHeader(header));
    for (const { receipt } of bought) {
      await expect
        .poll(() => deliveries(receipt.order_id))
        .toMatchObject([{ delivery_state: 'completed' }]);
    }
    expect(new Set(settlements.map(({ transaction }) => transaction)).size).toBe(5);
    expect(new Set(bought.map(({ receipt }) => receipt.order_id)).size).toBe(5);
    expect(await paidBy(account)).toHaveLength(5);
  });
});

describe('replies that are lost', () => {
  it('are answered again three times, for one payment', async () => {
    const account = await funded('retrying transport');
    const { sent, transport } = losingReplies(3);
    const retrying: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      for (;;) {
        try {
          return await transport(request.clone());
        } catch {}
      }
    };
    const { header } = await boughtBy(await payerOf(account, retrying)(url, REQUEST));
    expect(sent).toHaveLength(4);
    expect(new Set(sent).size).toBe(1);
    expect(decodePaymentResponseHeader(header)).toMatchObject({ success: true, network: BASE });
    expect(await paidBy(account)).toHaveLength(1);
  });

  it('cost nothing more where the program orders again under its payment identifier', async () => {
    const account = await funded('retrying program');
    const { sent, transport } = losingReplies(2);
    const client = clientOf(account).onBeforePaymentCreation(async ({ paymentRequired }) => {
      const offered = paymentRequired.extensions?.[PAYMENT_IDENTIFIER] as { info: object };
      Object.assign(offered.info, { id: 'order-of-a-program-1' });
    });
    const pay = payerOf(account, transport, client);
    await expect(pay(url, REQUEST)).rejects.toThrow('fetch failed');
    await expect(pay(url, REQUEST)).rejects.toThrow('fetch failed');
    const first = await boughtBy(await pay(url, REQUEST));
    expect(new Set(sent).size).toBe(3);
    expect(await boughtBy(await pay(url, REQUEST))).toEqual(first);
    expect(await paidBy(account)).toHaveLength(1);
  });
});

it('settles one payment once, sent five times at once', async () => {
  const account = await funded('one payment');
  let paid: Request | undefined;
  const holding: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.headers.has(PAYMENT_SIGNATURE_HEADER)) paid = request.clone();
    return paid === undefined ? fetch(request) : new Response(null, { status: 503 });
  };
  await payerOf(account, holding)(url, REQUEST);
  const send = async () => boughtBy(await fetch(paid?.clone() ?? url));
  const bought = await Promise.all(Array.from({ length: 5 }, send));
  expect(new Set(bought.map(({ receipt }) => receipt.order_id)).size).toBe(1);
  expect(await paidBy(account)).toHaveLength(1);
});

it('refuses an authorization that is valid for 32 years, and says why', async () => {
  const account = await funded('32 years');
  // The client signs whatever validity a 402 names; here somebody on the way changed it.
  const changed: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
    if (header === null) return response;
    const envelope = decodeHeader(header) as { accepts: object[] };
    const accepts = envelope.accepts.map((one) => ({ ...one, maxTimeoutSeconds: 1_009_152_000 }));
    const headers = new Headers(response.headers);
    headers.set(PAYMENT_REQUIRED_HEADER, encodeHeader({ ...envelope, accepts }));
    return new Response(response.body, { status: response.status, headers });
  };
  const response = await payerOf(account, changed)(url, REQUEST);
  expect(response.status).toBe(402);
  expect(await response.json()).toMatchObject({
    error: 'payment_invalid',
    message: 'The payment must be valid for at least 6 and at most 360 seconds from now.',
    reason: 'invalid_exact_evm_payload_authorization_valid_before',
  });
  expect(await paidBy(account)).toEqual([]);
});
