/** What a product is, told before it is paid. */
import { describe, expect, it } from 'vitest';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { openFrontHost, reshaping } from '../support/front-host.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts } from '../support/shop.ts';

const US = ['--country', 'us'] as const;
const { fixed } = amazonProducts();

const home = makeHome();
const sandbox = await serveHere(makeHome());
const host = await openFrontHost(new URL(sandbox.url).origin);

describe('a product of the sandbox', () => {
  it('is told by words and by its id alike, whichever side sells it', async () => {
    const told = await home.json(['show', 'amazon', '10', ...US]);
    expect(told).toMatchObject({
      product_id: fixed.product_id,
      ...{ brand: 'Amazon.com', face_value: '10', price: '10.10', coin: 'USDC' },
      ...{ is_out_of_stock: false, delivery_type: 'by_email', regions: ['US'] },
      how_to_redeem: expect.stringContaining('checkout'),
      terms: expect.stringContaining('Amazon.com'),
      ...{ validity: null, note: null },
    });
    expect(await home.json(['show', fixed.product_id, ...US])).toEqual(told);
    const other = await home.json(['show', 'amazon', '10', ...US, '--via', 'partner']);
    expect(other).toMatchObject({ ...(told as object), price: '10.1' });
  });

  it('is told in lines, and what nobody says is not provided', async () => {
    const { stdout, status } = await home.run(['show', 'amazon', '10', ...US]);
    expect(status).toBe(0);
    for (const line of [
      'Regions\tUnited States',
      'Delivery\tby e-mail; a code that the merchant returns is shown here too',
      'Where\tonline, in store',
      'Validity\tnot provided',
      'Stock\tin stock',
    ]) {
      expect(stdout).toContain(`${line}\n`);
    }
  });
});

describe('what a merchant writes', () => {
  const at = () => ['--checkout-url', sandbox.url, '--api-url', host.url];
  const writes = (rich: object, product: object = {}) =>
    host.behave(
      reshaping((path, body) =>
        path.startsWith('/v5/products/')
          ? // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
            (body as any[]).map((brand) => ({
              ...brand,
              rich_description: { ...brand.rich_description, ...rich },
              // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
              products: brand.products.map((one: any) => ({ ...one, ...product })),
            }))
          : body,
      ),
    );

  it('is told as text: pages lose their marks, and nothing reaches the terminal', async () => {
    writes(
      { how_to_redeem: '<p>Go to</p>\n<b>a.example/r_1</b>\u001b[2J\u202e', redeem_geo: 'Europe' },
      {
        delivery_type: 'inline',
        additional_details: { validity: '12 months' },
        valid_regions: ['DE'],
      },
    );
    const { stdout } = await home.run(['show', 'amazon', '10', ...US, ...at()]);
    expect(stdout).toContain('How to redeem\tGo to a.example/r_1 \\u{1b}[2J\\u{202e}\n');
    expect(stdout).toContain('Regions\tEurope, Germany\n');
    expect(stdout).toContain('Validity\t12 months\n');
    expect(stdout).toContain('Delivery\tshown here\n');
  });

  it('may be nothing at all: it is told so, and nothing fails', async () => {
    const api = await hostThat((_request, response) => response.writeHead(404).end('no'));
    const flags = ['--checkout-url', sandbox.url, '--api-url', api];
    const told = await home.json(['show', 'amazon', '10', ...US, ...flags]);
    expect(told).toMatchObject({ price: '10.10', how_to_redeem: null, regions: [], terms: null });
  });
});
