/** Hosts that say the least that the interface allows, and hosts that say more than anybody asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type FrontHost, type FrontReply, openFrontHost } from '../support/front-host.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, GIFT, orderOf } from '../support/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;
type Reshape = (path: string, reply: FrontReply) => FrontReply;

const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];

const pick = (body: Body, names: string): Body =>
  Object.fromEntries(
    names.split(' ').flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );

/** Required fields of each reply, and those without which nothing can be bought. */
const LEAST: readonly (readonly [path: RegExp, least: (body: Body) => Body])[] = [
  [/^\/v1\/brands/, (rows) => rows.map((row: Body) => pick(row, 'brand_name family category'))],
  [
    /^\/v1\/catalog/,
    (rows) =>
      rows.map((row: Body) =>
        pick(row, 'product_id brand_name is_range price_usdc country_code min_value max_value'),
      ),
  ],
  [
    /^\/v1\/price/,
    (price) => pick(price, 'product_id brand_name is_range currency price_usdc quote_expires_at'),
  ],
  [/^\/v1\/orders$/, (receipt) => pick(receipt, 'order_id status poll_url')],
  [
    /^\/v1\/orders\//,
    (order) => ({
      ...pick(order, 'order_id status'),
      deliveries: order.deliveries?.map((one: Body) => pick(one, 'delivery_state voucher_code')),
    }),
  ],
  [
    /^\/v5\/products/,
    (brands) =>
      brands.map((brand: Body) => ({
        ...brand,
        rich_description: undefined,
        promotion: undefined,
        products: brand.products.map((one: Body) =>
          pick(
            one,
            'product_id is_dynamic range denomination coin payment_method delivery_type points product_type',
          ),
        ),
      })),
  ],
  [
    /^\/v5\/orders(\/[0-9a-f-]{36})?$/,
    (order) => ({
      ...pick(order, 'order_id created_at payment_state order_state is_payment_processor_external'),
      ...pick(order, 'wallet_address coin_amount'),
      deliveries: order.deliveries?.map((one: Body) => ({
        ...pick(one, 'id delivery_state kind'),
        deliverable: pick(
          one.deliverable,
          'denomination brand_name beneficiary_account country_code pin_code',
        ),
      })),
    }),
  ],
];

const minimal: Reshape = (url, reply) => {
  const path = url.replace(/\?.*$/, '');
  const {
    'payment-response': _named,
    'payment-required': required,
    ...headers
  } = reply.headers as Record<string, string>;
  if (required !== undefined) {
    const { accepts } = decodeHeader(required) as Body;
    const [{ extra, ...first }] = accepts;
    const kept = {
      ...pick(first, 'scheme network maxAmountRequired amount asset payTo'),
      extra: pick(extra, 'feePayer'),
    };
    const envelope = { x402Version: 2, accepts: [kept] };
    const again = { ...headers, 'payment-required': encodeHeader(envelope) };
    return { ...reply, headers: again, body: envelope };
  }
  const least = LEAST.find(([known]) => known.test(path))?.[1];
  const isPlain = typeof reply.body === 'object' && reply.status === 200 && least !== undefined;
  return { ...reply, headers, body: isPlain ? least(reply.body) : reply.body };
};

/** Every object has more in it, and the words that tell a state are written in capitals. */
const odder = (value: Body): Body => {
  if (Array.isArray(value)) return value.map(odder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    /^(status|(order|payment|delivery)_state)$/.test(name)
      ? String(inner).toUpperCase()
      : odder(inner),
  ]);
  return { ...Object.fromEntries(fields), x_trace: 'a1', loyalty: { tier: null }, tags: [] };
};

const odd: Reshape = (_url, reply) => ({
  ...reply,
  headers: { ...reply.headers, 'x-powered-by': 'shop/9', 'x-request-id': '77' },
  body: reply.status === 200 ? odder(reply.body) : reply.body,
});

let home: Home;
let sandbox: ServedSandbox;
let productId: string;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
  await fundedWallet(home, sandbox.flags, '1000');
  productId = (await amazonProducts(home, sandbox.flags)).fixed.product_id;
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

describe.each([
  ['sends only what the interface requires', minimal],
  ['sends odd but harmless extras', odd],
])('a host that %s', (_name, answer) => {
  let host: FrontHost;
  let at: readonly string[];
  beforeAll(async () => {
    host = await openFrontHost(sandbox.url, { answer });
    at = ['--checkout-url', host.url, '--api-url', host.url, '--rpc-url', `${sandbox.url}/rpc`];
  });
  afterAll(() => host.close());

  const followed = async (orderId: string): Promise<void> => {
    const tracked = await home.run(['track', orderId, ...at, '--json']);
    expect([tracked.status, tracked.stderr]).toEqual([0, '']);
    const revealed = await home.run(['orders', 'reveal', orderId, '--json']);
    expect(revealed.stdout).toMatch(/"(voucher_code|pin_code)":"[^"*]{4}/);
  };

  it('is bought from at the checkout host, and the payment is named', async () => {
    const bought = await home.run([...orderOf(productId), ...at, '--json']);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    const { order_id: orderId, transaction } = JSON.parse(bought.stdout);
    expect(transaction).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
    const shown = await home.run(['orders', 'show', orderId, '--json']);
    expect(shown.stdout).toContain(transaction);
    await followed(orderId);
  });

  it('is bought from by the partner API', async () => {
    const bought = await home.run([...orderOf(productId), ...PARTNER, ...at, '--json']);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    await followed(JSON.parse(bought.stdout).order_id);
  });

  it('is bought from by the wizard', async () => {
    const words = ['wizard', '--plain', '--yes', '--max-amount', '60', ...at];
    const answers = ['giftcard', 'us', 'amazon.com', '10', 'wizard@example.com', 'USDC', 'solana'];
    const input = [...answers, 'you@example.com', ''].join('\n');
    const bought = await home.run(words, { input });
    expect([bought.status, bought.stderr]).toEqual([0, expect.stringContaining('Paid')]);
    expect(bought.stdout).toMatch(/Status\tcompleted/);
  });

  it('is bought from by an agent', async () => {
    const words = ['--allow-pay', ...at, '--mcp-url', host.url];
    const agent = await stdioClient(home, words, () => ({
      action: 'accept',
      content: { pay: true },
    }));
    const [, to = ''] = GIFT;
    const deliverable = { brand_name: 'Amazon.com', country_code: 'US', denomination: '10 USD' };
    const made = await agent.call('createOrder', {
      user: { email: 'you@example.com' },
      payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
      deliveries: [{ ...deliverable, beneficiary_account: to }],
    });
    expect([made.isError, made.text]).toEqual([false, expect.stringContaining('order_id')]);
    const orderId = made.result.order_id;
    const paid = await agent.call('payOrder', { order_id: orderId, max_amount: '60' });
    expect([paid.isError, paid.text]).toEqual([false, expect.stringContaining(orderId)]);
    const read = await agent.call('getOrderStatus', { order_id: orderId });
    expect(read.isError).toBe(false);
    await agent.close();
    await followed(orderId);
  });
});

describe('the pace of the interface', () => {
  it('is kept towards a host that is not embedded: five to ten seconds between two looks', async () => {
    const looks: number[] = [];
    const host = await openFrontHost(sandbox.url, {
      answer: (path, reply) => {
        if (!path.startsWith('/v1/orders') || reply.status !== 200) return reply;
        looks.push(Date.now());
        const order = reply.body as Body;
        return looks.length < 3
          ? { ...reply, body: { ...order, status: 'processing', deliveries: [] } }
          : reply;
      },
    });
    const at = ['--checkout-url', host.url, '--rpc-url', `${sandbox.url}/rpc`];
    const words = [...orderOf(productId), ...at, '--json'];
    const bought = await home.run(words, { env: { SCRIP_TEST: '' } });
    await host.close();
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    const gaps = looks.slice(1).map((look, index) => look - (looks[index] ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(4_950);
      expect(gap).toBeLessThanOrEqual(10_000);
    }
  });
});
