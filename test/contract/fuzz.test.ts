/** Every reader of text of others: whatever it is given, it reads it or throws a ScripError. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { call } from '../../src/api/http/call.ts';
import { parseCart } from '../../src/cli/batch/cart-file.ts';
import { parseConfig } from '../../src/cli/settings/config.ts';
import {
  getBrands,
  getCatalog,
  getOrder,
  getPrice,
  postOrder,
} from '../../src/contract/checkout.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import {
  getProductPrice,
  listBrands,
  listProductsForCountry,
  searchProducts,
} from '../../src/contract/partner-catalog.ts';
import { getCurrencies, getPaymentVias } from '../../src/contract/partner-market.ts';
import { createOrder, getOrderStatus, validateOrder } from '../../src/contract/partner-orders.ts';
import { getAvailableCountries } from '../../src/contract/site.ts';
import {
  decodeHeader,
  encodeHeader,
  paymentPayload,
  paymentRequired,
} from '../../src/contract/x402.ts';
import { webhookProblem } from '../../src/domain/address/webhook-address.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { parsePolicy } from '../../src/domain/policy/policy-file.ts';
import { decodePayment } from '../../src/rails/solana/message.ts';
import { parseFault } from '../../src/sandbox/faults/fault-spec.ts';
import { sandboxRates } from '../../src/sandbox/rates.ts';
import { loadCatalogFile } from '../../src/service/catalog/catalog-file.ts';
import { bodyOf, checkoutHost, ORDER, paymentFor } from '../support/checkout-host.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { garbled, mutated } from '../support/mutation.ts';
import { orderBody, partnerSandbox } from '../support/partner-sandbox.ts';

const RUNS = { numRuns: fuzzRuns(200) };
const SLOW_MS = 300_000;

const host = await checkoutHost();
const shop = await partnerSandbox();
afterAll(() => shop.close());

/** Reads, or refuses with an error of ours; anything else is the fault that is looked for. */
function readsOrRefuses(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

const asked = await host.challenge();
const bought = await host.buy();
await host.service.tick();
const order = await shop.create();
const answer = async (reply: Response): Promise<unknown> => bodyOf(reply);
const price = 'country_code=us&brand_name=Amazon.com&product_id=amazon-range&product_value=25';

/** A good answer of each row, and an input that it is asked for with. */
const ANSWERS: readonly (readonly [Endpoint<never, unknown>, unknown, unknown])[] = (
  [
    [getBrands, { country_code: 'us' }, await answer(await host.get('/v1/brands?country_code=us'))],
    [
      getCatalog,
      { country_code: 'us' },
      await answer(await host.get('/v1/catalog?country_code=us')),
    ],
    [
      getPrice,
      { country_code: 'us', brand_name: 'Amazon.com', product_id: 'x' },
      await answer(await host.get(`/v1/price?${price}`)),
    ],
    [postOrder, ORDER, bought],
    [
      getOrder,
      { order_id: bought.order_id },
      await answer(await host.get(`/v1/orders/${bought.order_id}`)),
    ],
    [getAvailableCountries, {}, await answer(await host.get('/api/available-countries'))],
    [getCurrencies, {}, await answer(await shop.get('/v3/currencies'))],
    [getPaymentVias, {}, await answer(await shop.get('/v3/payment_vias'))],
    [
      listBrands,
      { country_code: 'US' },
      await answer(await shop.get('/v2/brands?country_code=US')),
    ],
    [
      searchProducts,
      { country_code: 'US', q: 'amazon' },
      await answer(await shop.get('/v2/search/US?q=amazon')),
    ],
    [
      listProductsForCountry,
      { country_code: 'US', brand_name: 'Amazon.com' },
      await answer(await shop.get('/v5/products/country/US?brand_name=Amazon.com')),
    ],
    [
      getProductPrice,
      { country_code: 'US', brand_name: 'Amazon.com', face_value: '25', coin: 'USDC' },
      await answer(
        await shop.get(
          '/v4/products/price?country_code=US&brand_name=Amazon.com&face_value=25&coin=USDC',
        ),
      ),
    ],
    [
      validateOrder,
      orderBody(),
      await answer(await shop.post('/v5/orders/validations', orderBody())),
    ],
    [createOrder, orderBody(), order],
    [getOrderStatus, { order_id: order.order_id }, order],
  ] as const
).map(([row, input, body]) => [row as unknown as Endpoint<never, unknown>, input, body] as const);

describe('a client', () => {
  it.each(ANSWERS.map((one) => [one[0].name, one] as const))(
    'reads any answer to %s, or refuses it by a code',
    async (_name, [row, input, body]) => {
      const short = shortened(body);
      const texts = fc.oneof(
        mutated(short).map((value) => JSON.stringify(value) ?? 'undefined'),
        garbled(JSON.stringify(short)),
        fc.string(),
      );
      const status = fc.constantFrom(200, 200, 200, 400, 402, 404, 429, 500, 503);
      await fc.assert(
        fc.asyncProperty(texts, status, async (text, code) => {
          const fetch = async () => new Response(text, { status: code });
          const asking = call(fetch, 'https://merchant.example', row, input as never);
          await asking.catch((error: unknown) => {
            if (!(error instanceof ScripError)) throw error;
          });
        }),
        RUNS,
      );
    },
    SLOW_MS,
  );
});

describe('a service', () => {
  it(
    'answers any body of an order with a status of the interface, and reports no fault',
    async () => {
      const bodies = fc.oneof(mutated(ORDER), fc.jsonValue());
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const text = JSON.stringify(body) ?? '';
          const request = { method: 'POST', body: text };
          const fresh = new Request('https://checkout.example/v1/orders', request);
          const { status } = await host.service.fetch(fresh);
          expect([400, 402, 413, 429]).toContain(status);
        }),
        RUNS,
      );
      expect(host.faults).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'answers any payment header with a status of the interface, and reports no fault',
    async () => {
      const payment = paymentFor(asked);
      const headers = fc.oneof(
        mutated(payment).map((value) => encodeHeader(value ?? null)),
        garbled(encodeHeader(payment)).map((text) => text.replace(/[^\x21-\x7e]/g, '')),
        fc.base64String(),
      );
      await fc.assert(
        fc.asyncProperty(headers, async (header) => {
          const reply = await host.post('/v1/orders', asked.body, {
            'PAYMENT-SIGNATURE': header,
            'X-Session-Id': asked.sessionId,
          });
          expect([200, 400, 402, 409]).toContain(reply.status);
        }),
        RUNS,
      );
      expect(host.faults).toEqual([]);
    },
    SLOW_MS,
  );
});

describe('the header codec', () => {
  it('gives back what it was given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(decodeHeader(encodeHeader(value)))).toBe(JSON.stringify(value));
      }),
      RUNS,
    );
  });

  it('and the schemas behind it take or refuse any text', () => {
    const requirement = JSON.stringify(asked.requirement);
    const texts = fc.oneof(fc.string(), garbled(encodeHeader(JSON.parse(requirement))));
    fc.assert(
      fc.property(texts, (text) => {
        readsOrRefuses(() => {
          const value = decodeHeader(text);
          paymentRequired().safeParse(value);
          paymentPayload().safeParse(value);
        });
      }),
      RUNS,
    );
  });
});

describe('a reader of files and words', () => {
  const page = (name: string) =>
    readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
  const example = (name: string) => /```json\n([\s\S]*?)```/.exec(page(name))?.[1] ?? '{}';
  const profiles = '{"profiles": {"live": {"checkout_url": "https://x.example", "country": "us"}}}';
  const policy = '{"perOrder": "50", "perDay": "100", "kinds": ["giftcard"]}';
  const READERS: readonly (readonly [string, string, (text: string) => unknown])[] = [
    ['profiles', profiles, (text) => parseConfig(text, 'config.json')],
    ['spending policies', policy, (text) => parsePolicy(text, 'policy.json')],
    ['catalogs', example('operate/catalog.md'), (text) => loadCatalogFile(text, sandboxRates)],
    ['carts', 'product,to\nx,friend@example.com\n', parseCart],
    ['transactions', paymentFor(asked).payload.transaction ?? '', decodePayment],
    ['faults', 'status=503:2@0.3x3/v1/orders', parseFault],
    [
      'webhook addresses',
      'https://hooks.example:8443/a?b=c',
      (text) => webhookProblem(text, { isPrivateAllowed: false }),
    ],
  ];

  it.each(READERS)(
    'of %s reads or refuses anything',
    (_what, good, read) => {
      const texts = fc.oneof(garbled(good), fc.string(), mutatedText(good));
      fc.assert(
        fc.property(texts, (text) => readsOrRefuses(() => read(text))),
        RUNS,
      );
    },
    SLOW_MS,
  );
});

/** A whole list says no more than its beginning, and takes long to read ten thousand times. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 3).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function mutatedText(good: string): fc.Arbitrary<string> {
  try {
    return mutated(JSON.parse(good)).map((value) => JSON.stringify(value) ?? '');
  } catch {
    return garbled(good);
  }
}
