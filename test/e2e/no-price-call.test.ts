/** A checkout host that keeps `/v1/price` for range products alone, or does not know the call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type FrontHost, openFrontHost } from '../support/front-host.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonListed, buy, fundedWallet, HERE, orderOf } from '../support/shop.ts';

let home: Home;
let sandbox: ServedHere;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  await fundedWallet(home, sandbox.flags);
});
afterAll(async () => {
  await sandbox.stop();
});

/** The sandbox without the call, as `status` and `body` say it. */
const without = (status: number, body: unknown): Promise<FrontHost> =>
  openFrontHost(sandbox.url, {
    answer: (path, reply) =>
      path.startsWith('/v1/price')
        ? { status, body, headers: { 'content-type': 'application/json' } }
        : reply,
  });
const at = ({ url }: FrontHost) => ['--checkout-url', url, '--rpc-url', `${sandbox.url}/rpc`];

describe.each([
  ['a 404 of its own kind', 404, { error: 'not_found' }],
  ['a 404 that is no JSON', 404, 'Cannot GET /v1/price'],
  ['a refusal of fixed products', 400, { error: 'not_a_range_product' }],
])('where the price is answered by %s', (_name, status, body) => {
  it('a fixed product is bought at the price of the catalog, a range product is not', async () => {
    const host = await without(status, body);
    const { fixed, range } = await amazonListed(home, at(host));
    const order = await buy(home, fixed.product_id, at(host));
    expect(order).toMatchObject({ status: 'completed', amount: fixed.price_usdc });
    const price = await home.json(['price', fixed.product_id, ...HERE, ...at(host)]);
    expect(price).toMatchObject({ price_usdc: fixed.price_usdc });
    const refused = await home.run(orderOf(range.product_id, ['--value', '30', ...at(host)]));
    expect(refused.status).not.toBe(0);
    await host.close();
  });
});
