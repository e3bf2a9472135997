/** What the partner API refuses, over HTTP: where its problems stand, and what is not taken silently. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { orderBody, via } from '../support/partner-sandbox.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts } from '../support/shop.ts';

const home = makeHome();
const shop = await serveHere(home);

interface Answer {
  readonly detail?: string;
  readonly problems?: readonly unknown[];
  readonly moreDetails?: { readonly message?: string; readonly problems?: readonly unknown[] };
}

const HEADERS = { 'Content-Type': 'application/json', 'X-Cr-Application': 'shop-1' };
const send = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const init = { method, headers: HEADERS, ...(body === undefined ? {} : { body: String(body) }) };
  const reply = await fetch(shop.url + path, init);
  const answer: Answer = JSON.parse(await reply.text());
  return { status: reply.status, allow: reply.headers.get('Allow'), body: answer };
};
const make = (more: Record<string, unknown>, path = '/v5/orders') =>
  send(path, JSON.stringify(orderBody(more)));

describe('a refused creation', () => {
  it('carries its problems at the top, and within its details as before', async () => {
    const deliveries = [{ ...orderBody().deliveries[0], brand_name: 'No such brand' }];
    const { status, body } = await make({ deliveries });
    expect(status).toBe(400);
    expect(body).toMatchObject({ status: 400, detail: 'ORDER_HAS_PROBLEMS' });
    expect(body.problems).toEqual([
      expect.objectContaining({ problem: 'NOT_AVAILABLE_PRODUCT', moreDetails: expect.anything() }),
    ]);
    expect(body.moreDetails?.problems).toEqual(body.problems);
  });
});

describe('NFT cards', () => {
  const nft_codes = [{ tokenId: '7', contract_address: `0x${'ab'.repeat(20)}`, network: 'Base' }];

  it('are refused, by a validation and by a creation: no order is made at the full price', async () => {
    const [validated, created] = await Promise.all([
      make({ nft_codes }, '/v5/orders/validations'),
      make({ nft_codes }),
    ]);
    const problem = {
      problem: 'NOT_ALLOWED_PAYMENT_VIA',
      moreDetails: { vias: expect.arrayContaining(['user_wallet']), nft_codes: [{ index: 0 }] },
    };
    expect([validated.status, validated.body.problems]).toEqual([200, [problem]]);
    expect([created.status, created.body.problems]).toEqual([400, [problem]]);
  });

  it.each([[null], [[]]])('that are none (%j) change nothing', async (none) => {
    expect((await make({ nft_codes: none })).status).toBe(200);
  });
});

describe('a path that is not there', () => {
  it.each(['/v2/nothing', '/v3/nothing', '/v4/nothing', '/v5/nothing', '/v5/orders/x/y'])(
    '%s is answered as the partner API answers',
    async (path) => {
      expect(await send(path)).toMatchObject({
        status: 404,
        body: { status: 404, detail: 'NOT_FOUND', moreDetails: { message: expect.any(String) } },
      });
    },
  );

  it('and another method are told in its own form', async () => {
    expect(await send('/v3/currencies', '{}')).toMatchObject({
      status: 405,
      allow: 'GET',
      body: { status: 405, detail: 'METHOD_NOT_ALLOWED' },
    });
  });

  it.each(['/v1/nothing', '/nothing', '/v50/nothing'])('%s keeps the other form', async (path) => {
    expect(await send(path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

const SOLANA = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const TAPROOT = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
const PAY_TO_HASH = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const GOOD: readonly (readonly [coin: string, network: string, address: string])[] = [
  ['USDC', 'Solana', SOLANA],
  ['USDC', 'Base', EVM],
  ['USDC', 'Ethereum', EVM.toLowerCase()],
  ['BTC', 'Mainnet', BITCOIN],
  ['BTC', 'Mainnet', BITCOIN.toUpperCase()],
  ['BTC', 'Mainnet', TAPROOT],
  ['BTC', 'Mainnet', PAY_TO_HASH],
  ['BTC', 'Lightning', 'ann@example.com'],
  ['USDT', 'Tron', TRON],
];

const BAD: typeof GOOD = [
  ['USDC', 'Solana', EVM],
  ['USDC', 'Solana', 'Refund111'],
  ['USDC', 'Base', SOLANA],
  ['USDC', 'Base', EVM.slice(0, -1)],
  ['BTC', 'Mainnet', EVM],
  // One character is another one.
  ['BTC', 'Mainnet', `${BITCOIN.slice(0, -1)}5`],
  ['BTC', 'Mainnet', `${TAPROOT.slice(0, -1)}9`],
  ['BTC', 'Mainnet', PAY_TO_HASH.replace('BvB', 'BvC')],
  ['BTC', 'Mainnet', TRON],
  ['LTC', 'Mainnet', BITCOIN],
  ['DOGE', 'Mainnet', PAY_TO_HASH],
  ['USDT', 'Tron', `${TRON.slice(0, -1)}u`],
  ['USDT', 'Tron', EVM],
];

describe('refund_wallet_address', () => {
  const ask = ([coin, network, refund_wallet_address]: (typeof GOOD)[number]) => {
    const range = { ...orderBody().deliveries[0], denomination: 'range', product_value: '50' };
    const body = { payment: via(coin, network), refund_wallet_address, deliveries: [range] };
    return make(body, '/v5/orders/validations');
  };

  it.each(GOOD)('of %s on %s is taken: %s', async (...one) => {
    expect((await ask(one)).status).toBe(200);
  });

  it.each(BAD)('that is none of %s on %s is refused: %s', async (...one) => {
    const { status, body } = await ask(one);
    expect([status, body.detail]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.moreDetails?.message).toMatch(/^refund_wallet_address: /);
  });

  it('is left to the rules where coin and network do not go together', async () => {
    expect((await ask(['BTC', 'Solana', SOLANA])).body.problems).toEqual([
      expect.objectContaining({ problem: 'UNSUPPORTED_PROTOCOL_COIN_COMBINATION' }),
    ]);
  });

  it('is as needless as before, and null is none', async () => {
    const body = { payment: via('USDC', 'Base'), refund_wallet_address: null };
    expect((await make(body, '/v5/orders/validations')).status).toBe(200);
  });

  it('that the user types is refused before an order is made', async () => {
    const { product_id: id } = amazonProducts().card25;
    const goods = ['order', id, '--country', 'us', '--brand', 'Amazon.com', '--via', 'partner'];
    const person = ['--to', 'a@example.com', '--email', 'a@example.com', '--yes'];
    const means = ['--coin', 'BTC', '--network', 'Mainnet', '--refund-wallet', SOLANA];
    const refused = await home.failure([...goods, ...person, ...means, ...shop.flags]);
    const message = expect.stringContaining('refund_wallet_address: ');
    expect(refused).toMatchObject({ status: 4, message });
  });
});
