/** Checkout hosts whose 402 says odd but harmless things, or speaks another protocol altogether. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type FrontHost, type FrontReply, openFrontHost } from '../support/front-host.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';

type Envelope = Record<string, unknown> & {
  readonly accepts: readonly (Record<string, unknown> & { readonly extra: object })[];
};

let home: Home;
let sandbox: ServedHere;
let productId: string;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  await fundedWallet(home, sandbox.flags);
  productId = amazonProducts().fixed.product_id;
});
afterAll(async () => {
  await sandbox.stop();
});

/** The sandbox with another 402. */
const asking = (write: (reply: FrontReply) => FrontReply): Promise<FrontHost> =>
  openFrontHost(sandbox.url, {
    answer: (path, reply) => (path === '/v1/orders' && reply.status === 402 ? write(reply) : reply),
  });

const withEnvelope = (rewrite: (envelope: Envelope) => object) => (reply: FrontReply) => {
  const envelope = rewrite(decodeHeader(reply.headers['payment-required'] ?? '') as Envelope);
  return {
    ...reply,
    body: envelope,
    headers: { ...reply.headers, 'payment-required': encodeHeader(envelope) },
  };
};

const withExtra = (envelope: Envelope, fields: object, extra: object): Envelope => ({
  ...envelope,
  accepts: envelope.accepts.map((accept) => ({
    ...accept,
    ...fields,
    extra: { ...accept.extra, ...extra },
  })),
});

const at = ({ url }: FrontHost) => ['--checkout-url', url, '--rpc-url', `${sandbox.url}/rpc`];
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const ODD: readonly (readonly [string, (envelope: Envelope) => object])[] = [
  [
    'null in every field that nothing depends on',
    (envelope) => ({
      ...withExtra(envelope, { maxTimeoutSeconds: null, description: null }, { memo: null }),
      error: null,
      resource: null,
      expiresAt: null,
      extensions: null,
    }),
  ],
  [
    'unusual values in them',
    (envelope) => ({
      ...withExtra(envelope, { maxTimeoutSeconds: '60', description: { en: 'x' } }, { memo: 7 }),
      error: ['payment required'],
      resource: 3,
      expiresAt: 'soon',
      extensions: [],
    }),
  ],
  ['its end as text', (envelope) => ({ ...envelope, expiresAt: String(inSeconds(90)) })],
  [
    'its end in ISO 8601',
    (envelope) => ({ ...envelope, expiresAt: new Date(Date.now() + 90_000).toISOString() }),
  ],
];

describe('a challenge', () => {
  it.each(ODD)('with %s is paid', async (_name, rewrite) => {
    const host = await asking(withEnvelope(rewrite));
    const order = await buy(home, productId, at(host));
    expect(order.status).toBe('completed');
    await host.close();
  });

  it.each([
    ['its end in the past, as text', (envelope: Envelope) => ({ ...envelope, expiresAt: '1000' })],
    ['no fee payer', (envelope: Envelope) => withExtra(envelope, {}, { feePayer: null })],
    ['an amount as a number', (envelope: Envelope) => withExtra(envelope, { amount: 1 }, {})],
  ])('with %s is not', async (_name, rewrite) => {
    const host = await asking(withEnvelope(rewrite));
    const refused = await home.run([...orderOf(productId, at(host)), '--json']);
    expect(refused.status).toBe(5);
    expect(JSON.parse(refused.stderr).error.funds_at_risk).toBe('none');
    await host.close();
  });

  it('with a field that nobody knows is inspected, and the field is shown escaped', async () => {
    const write = withEnvelope((envelope) =>
      withExtra(envelope, { loyalty: '\u001b[2Jgold' }, { hint: 'pay\u202etwice' }),
    );
    const host = await asking(write);
    const words = ['inspect', productId, ...HERE, ...GIFT, ...at(host)];
    const shown = await home.run(words);
    expect(shown.status).toBe(0);
    expect(shown.stdout).toContain('loyalty');
    expect(shown.stdout).toContain('extra.hint');
    for (const raw of ['\u001b[2J', '\u202e']) expect(shown.stdout).not.toContain(raw);
    await host.close();
  });

  it.each([
    [
      { x402Version: 1, accepts: [{ scheme: 'exact', network: 'base' }], error: 'pay' },
      {},
      'x402 version 1',
    ],
    ['pay', { 'www-authenticate': 'L402 macaroon="a", invoice="b"' }, 'L402'],
    ['pay', { 'www-authenticate': 'Payment id="x", method="tempo"' }, 'Payment'],
    ['pay', { 'www-authenticate': 'Sixpence realm="x"' }, 'Sixpence'],
  ])('of another protocol is named: %j', async (body, headers, name) => {
    const host = await asking(() => ({ status: 402, body, headers }));
    const refused = await home.run(orderOf(productId, at(host)));
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain(name);
    expect(refused.stderr).not.toContain('unknown format');
    await host.close();
  });
});
