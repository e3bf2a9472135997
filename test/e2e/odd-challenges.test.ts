/** Checkout hosts with a 402 of one dialect, with odd but harmless ones, of another protocol; and without a price. */
import { describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { type FrontReply, json, type Manners, openFrontHost } from '../support/front-host.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

const home = makeHome();
const sandbox = await serveHere(home);
const payer = await fundedWallet(home, sandbox.flags, '500');
const host = await openFrontHost(sandbox.url);
const { fixed, range } = amazonProducts();
const productId = fixed.product_id;

/** The sandbox with another 402. */
const asking = (write: (reply: FrontReply) => FrontReply): Manners => ({
  answer: ({ path }, reply) =>
    path === '/v1/orders' && reply.status === 402 ? write(reply) : reply,
});

const withEnvelope = (rewrite: (envelope: Body) => object): Manners =>
  asking((reply) => {
    const body = rewrite(decodeHeader(reply.headers['payment-required'] ?? ''));
    const headers = { ...reply.headers, 'payment-required': encodeHeader(body) };
    return { ...reply, body, headers };
  });

const withExtra = (envelope: Body, fields: object, extra: object): Body => ({
  ...envelope,
  accepts: envelope.accepts.map((accept: Body) => ({
    ...{ ...accept, ...fields },
    extra: { ...accept.extra, ...extra },
  })),
});

interface Dialect {
  readonly name: string;
  readonly encoding: 'base64' | 'base64url';
  readonly hasSession: boolean;
  rewrite(envelope: Body): Body;
  /** What phase 2 must look like for such a host. */
  accepts(payment: Body): boolean;
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'the interface: maxAmountRequired, flat payload, session header',
    encoding: 'base64url',
    hasSession: true,
    rewrite: ({ expiresAt, accepts }) => ({
      ...{ x402Version: 2, resource: 'https://shop.example/v1/orders', expiresAt },
      accepts: accepts.map(({ amount: _, maxTimeoutSeconds: __, ...kept }: Body) => kept),
    }),
    accepts: ({ scheme, network }) => scheme === 'exact' && typeof network === 'string',
  },
  {
    name: 'the public standard: amount, accepted echoed whole, no session',
    encoding: 'base64',
    hasSession: false,
    rewrite: ({ resource, accepts }) => ({
      ...{ x402Version: 2, resource },
      accepts: accepts.map(({ maxAmountRequired: _, ...kept }: Body) => ({
        ...kept,
        unknownField: { kept: true },
      })),
    }),
    accepts: ({ accepted }) => JSON.stringify(accepted?.unknownField) === '{"kept":true}',
  },
];

describe('our client pays a host that speaks', () => {
  it.each(DIALECTS)('$name', async ({ encoding, hasSession, rewrite, accepts }) => {
    const payments: boolean[] = [];
    host.behave({
      ...asking(({ body, headers }) => {
        const required = Buffer.from(JSON.stringify(rewrite(body))).toString(encoding);
        const session = hasSession ? { 'x-session-id': headers['x-session-id'] ?? '' } : {};
        return { status: 402, body: {}, headers: { 'payment-required': required, ...session } };
      }),
      hear: ({ headers: { 'payment-signature': payment } }) => {
        if (payment === undefined) return {};
        payments.push(accepts(JSON.parse(Buffer.from(payment, encoding).toString())));
        return {};
      },
    });
    const order = await buy(home, productId, host.flags);
    expect(order.status).toBe('completed');
    expect(new Set(payments)).toEqual(new Set([true]));
    expect(await ledgerAt(`${sandbox.url}/rpc`).payments(payer)).toContain(order.transaction);
  });
});

describe('a challenge', () => {
  // Null in every field that need not be sent, and its end in ISO 8601: minimal-and-odd-hosts.
  it.each<[string, (envelope: Body) => object]>([
    [
      'unusual values in fields that nothing depends on',
      (envelope) => ({
        ...withExtra(envelope, { maxTimeoutSeconds: '60', description: { en: 'x' } }, { memo: 7 }),
        ...{ error: ['payment required'], resource: 3, expiresAt: 'soon', extensions: [] },
      }),
    ],
    [
      'its end as text',
      (envelope) => ({ ...envelope, expiresAt: String(Math.floor(Date.now() / 1_000) + 90) }),
    ],
  ])('with %s is paid', async (_name, rewrite) => {
    host.behave(withEnvelope(rewrite));
    expect((await buy(home, productId, host.flags)).status).toBe('completed');
  });

  it.each<[string, (envelope: Body) => object]>([
    ['its end in the past, as text', (envelope) => ({ ...envelope, expiresAt: '1000' })],
    ['no fee payer', (envelope) => withExtra(envelope, {}, { feePayer: null })],
    ['an amount as a number', (envelope) => withExtra(envelope, { amount: 1 }, {})],
  ])('with %s is not', async (_name, rewrite) => {
    host.behave(withEnvelope(rewrite));
    const refused = await home.failure(orderOf(productId, host.flags));
    expect(refused).toMatchObject({ status: 5, funds_at_risk: 'none' });
  });

  it('with a field that nobody knows is inspected, and the field is shown escaped', async () => {
    const odd = { loyalty: '\u001b[2Jgold' };
    host.behave(withEnvelope((one) => withExtra(one, odd, { hint: 'pay\u202etwice' })));
    const shown = await home.run(['inspect', productId, ...HERE, ...GIFT, ...host.flags]);
    expect(shown.status).toBe(0);
    for (const name of ['loyalty', 'extra.hint']) expect(shown.stdout).toContain(name);
    for (const raw of ['\u001b[2J', '\u202e']) expect(shown.stdout).not.toContain(raw);
  });

  it.each<[unknown, Record<string, string>, string]>([
    [{ x402Version: 3, accepts: [{ network: 'base' }], error: 'pay' }, {}, 'x402 version 3'],
    ['pay', { 'www-authenticate': 'L402 macaroon="a", invoice="b"' }, 'L402'],
    ['pay', { 'www-authenticate': 'Payment id="x", method="tempo"' }, 'Payment'],
    ['pay', { 'www-authenticate': 'Sixpence realm="x"' }, 'Sixpence'],
  ])('of another protocol is named: %j', async (body, headers, name) => {
    host.behave(asking(() => ({ status: 402, body, headers })));
    const refused = await home.run(orderOf(productId, host.flags));
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining(name)]);
    expect(refused.stderr).not.toContain('unknown format');
  });
});

it.each([
  ['a 404 of its own kind', json(404, { error: 'not_found' })],
  ['a 404 that is no JSON', json(404, 'Cannot GET /v1/price')],
  ['a refusal of fixed products', json(400, { error: 'not_a_range_product' })],
])('where a price is answered by %s, fixed products have that of the catalog', async (_, given) => {
  host.behave({ instead: ({ path }) => (path === '/v1/price' ? given : undefined) });
  const price_usdc = '10.10';
  const order = await buy(home, productId, host.flags);
  expect(order).toMatchObject({ status: 'completed', amount: price_usdc });
  const price = await home.json(['price', productId, ...HERE, ...host.flags]);
  expect(price).toMatchObject({ price_usdc });
  // A price of a range is the merchant's to name.
  const refused = await home.run(orderOf(range.product_id, ['--value', '30', ...host.flags]));
  expect(refused.status).not.toBe(0);
});
