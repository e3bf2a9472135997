/** The OpenAPI document says what the service does: its routes, its examples, its prices, each of its answers. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createGeneratedCatalog } from '../../../src/sandbox/catalog/generated.ts';
import { sandboxRates } from '../../../src/sandbox/rates.ts';
import { priceUsdc } from '../../../src/service/catalog/pricing.ts';
import { rememberRange } from '../../../src/service/discovery/guidance.ts';
import { checkoutHost } from '../../support/checkout-host.ts';
import { fromSchema, type Schema, spoiled } from '../../support/from-schema.ts';
import { fuzzRuns } from '../../support/fuzz.ts';
import { APPLICATION, BASE, jsonOf, partnerSandbox } from '../../support/partner-sandbox.ts';

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Reply {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: string;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Reply>>;
  readonly 'x-payment-info'?: { readonly price: unknown; readonly offers: readonly unknown[] };
}

interface Document {
  readonly info: { readonly 'x-guidance': string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Reply>>;
  };
}

const shop = await partnerSandbox({ traffic: { isRatioEnforced: false } });
afterAll(() => shop.close());
const document = await jsonOf<Document>(await shop.get('/openapi.json'));
const { schemas, responses } = document.components;
const orderKey = 'order-key-of-at-least-32-characters';
const made = await shop.create({}, { 'Idempotency-Key': orderKey });

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...{ path, method: method.toUpperCase(), operation },
    name: operation.operationId,
  })),
);
const JSON_TYPE = 'application/json';

const ajv = formats.default(new Ajv2020({ strict: false }));
const compiled = new WeakMap<Schema, ReturnType<typeof ajv.compile>>();
const faultsOf = (schema: Schema, value: unknown): unknown => {
  const { components } = document;
  const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
  compiled.set(schema, validate);
  return validate(value) ? undefined : validate.errors;
};
const resolved = (reply: Reply | undefined) =>
  reply?.$ref === undefined ? reply : responses[reply.$ref.split('/').at(-1) ?? ''];

// Each test has the limits of a new minute.
beforeEach(() => shop.clock.advance(60_000));

describe('the document', () => {
  it('has no fault for a linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // That of a host's data is not ours to say.
      rules: { 'info-license': 'off' },
    });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('has every route of the service but documents, files and pages, and no other', () => {
    const written = operations.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    const isApi = (route: string) =>
      /^\w+ \/(?:v\d|api|mcp|supported|verify|settle|\.well-known\/did)/.test(route);
    expect(written.toSorted()).toEqual(shop.current().routes.filter(isApi).toSorted());
  });

  it('is made once, and kept by clients until the catalog changes', async () => {
    const first = await shop.get('/openapi.json');
    const etag = first.headers.get('ETag') ?? '';
    const again = await shop.get('/openapi.json', { 'If-None-Match': etag });
    expect([first.status, again.status]).toEqual([200, 304]);
  });

  it('says that orders are paid, from which price on, and on which networks', () => {
    const paid = operations.filter(({ operation }) => 'x-payment-info' in operation);
    expect(paid.map(({ name }) => name)).toEqual(['postOrder']);
    const { price, offers } = paid[0]?.operation['x-payment-info'] ?? {};
    expect(price).toEqual({
      ...{ mode: 'dynamic', currency: 'USD' },
      ...rememberRange({
        catalog: createGeneratedCatalog({ seed: 'scrip' }),
        rates: sandboxRates,
      })(),
    });
    expect(offers).toMatchObject([
      { amount: null, network: expect.stringMatching(/^solana:/) },
      { amount: null, network: 'eip155:8453' },
    ]);
  });

  it('asks for a secret only where ids without one are refused', async () => {
    const closed = await partnerSandbox({ partner: { arePartnersOpen: false } });
    const { paths } = await jsonOf<Document>(await closed.get('/openapi.json'));
    await closed.close();
    const security = (of: Document['paths']) => of['/v5/orders']?.post?.security;
    expect([security(document.paths), security(paths)]).toEqual([
      [{ application: [] }],
      [{ application: [], secret: [] }],
    ]);
  });

  it('has nothing of the partner API where it is not served', async () => {
    const host = await checkoutHost();
    const { paths } = await jsonOf<Document>(await host.get('/openapi.json'));
    expect(Object.keys(paths).filter((path) => /^\/(?:v[2-5]|mcp)/.test(path))).toEqual([]);
    const { post } = paths['/v1/orders'] ?? {};
    const body = post?.requestBody?.content[JSON_TYPE]?.example;
    expect((await host.post('/v1/orders', body)).status).toBe(402);
  });
});

it('is kept by refusals that no endpoint makes itself', async () => {
  const { post } = document.paths['/mcp/purchase_elicitation'] ?? {};
  const answer = await shop.post('/mcp/purchase_elicitation?x=%00', {});
  const reply = resolved(post?.responses[answer.status]);
  expect(answer.status).toBe(400);
  expect(faultsOf(reply?.content?.[JSON_TYPE]?.schema ?? {}, await answer.json())).toBeUndefined();
});

describe('the price range', () => {
  const catalog = createGeneratedCatalog({ seed: 'scrip' });
  const range = rememberRange({ catalog, rates: sandboxRates })();

  it.each(['us', 'jp', 'br', 'vn'])('holds every price in %s', (country) => {
    const prices = catalog
      .products(country)
      .filter(({ brand }) => !brand.isOutOfStock)
      .flatMap((product) => {
        const { denomination: one } = product;
        const values = one.isRange ? [one.min, one.max] : [one.faceValue];
        return values.map((value) => Number(priceUsdc(product, value, sandboxRates)) / 1e6);
      });
    expect(Math.min(...prices)).toBeGreaterThanOrEqual(Number(range?.min));
    expect(10 * Math.max(...prices)).toBeLessThanOrEqual(Number(range?.max));
  });
});

describe('the examples', () => {
  const headers = { 'X-Cr-Application': APPLICATION };
  /** With an order of its own, and the key that it was made under. */
  const send = ({ path, method, operation }: (typeof operations)[number], more = {}) => {
    const own = { order_id: made.order_id };
    const fields = operation.parameters.flatMap(({ name, in: place, example }) =>
      example === undefined ? [] : [[place, name, Reflect.get(own, name) ?? example] as const],
    );
    const inQuery = fields.filter(([place]) => place === 'query');
    const query = new URLSearchParams(
      Object.fromEntries(inQuery.map(([, name, value]) => [name, String(value)])),
    );
    const inPath = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => inPath[name] ?? '');
    const example = operation.requestBody?.content[JSON_TYPE]?.example;
    const body = example === undefined ? {} : { body: JSON.stringify(example) };
    const given = { ...headers, ...more };
    const request = new Request(`${BASE}${filled}?${query}`, { method, headers: given, ...body });
    return shop.current().handle(request);
  };
  /** What they lack is another's: an order of the checkout host, a payment, the key of an order. */
  const OTHERS: Readonly<Record<string, number>> = {
    ...{ postOrder: 402, getOwnOrders: 402, getOrder: 404, getCheckoutRefunds: 404 },
    ...{ verifyPayment: 400, settlePayment: 400, nameRefundAddress: 403 },
  };

  it.each(operations)('$name is answered as asked', async (one) => {
    const reply = await send(one);
    await reply.body?.cancel();
    expect(reply.status).toBe(OTHERS[one.name] ?? 200);
    // What has an ETag is answered 304 to who has it, and nothing else is.
    const etag = reply.headers.get('ETag');
    expect('304' in one.operation.responses).toBe(etag !== null);
    if (etag !== null) expect((await send(one, { 'If-None-Match': etag })).status).toBe(304);
  });
});

describe('no answer contradicts the document', () => {
  interface Sent {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
  }

  const own = { order_id: made.order_id, order_key: orderKey, holder: 'a'.repeat(20) };
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

  function fieldOf({
    name,
    required,
    schema,
    example = '',
  }: Parameter): Arbitrary<string | undefined> {
    const good = fc.constant<string>(Reflect.get(own, name) ?? example);
    return fc.oneof(
      { arbitrary: good, weight: required ? 6 : 2 },
      { arbitrary: fromSchema(schema, schemas).map(asText), weight: 2 },
      { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
      { arbitrary: fc.constant(undefined), weight: required ? 1 : 4 },
    );
  }

  function bodyOf({ requestBody }: Operation): Arbitrary<string | undefined> {
    const { schema, example } = requestBody?.content[JSON_TYPE] ?? {};
    if (schema === undefined) return fc.constant(undefined);
    const known = example === undefined ? {} : { ...Object(example) };
    const good = Object.fromEntries(
      Object.entries(known).map(([name, value]) => [name, Reflect.get(own, name) ?? value]),
    );
    return fc.oneof(
      { arbitrary: fc.constant(good).map(asText), weight: 1 },
      { arbitrary: fromSchema(schema, schemas).map(asText), weight: 3 },
      { arbitrary: spoiled(good).map(asText), weight: 3 },
      { arbitrary: fc.string({ maxLength: 20 }), weight: 1 },
    );
  }

  const HEADER_TEXT = /^[\x21-\x7e]{1,200}$/;

  function requestOf(path: string, operation: Operation): Arbitrary<Sent> {
    const fields = operation.parameters.map((one) =>
      fieldOf(one).map((value) => [one, value] as const),
    );
    const partner = fc.oneof(
      { arbitrary: fc.constant(APPLICATION), weight: 8 },
      { arbitrary: fc.constantFrom('', 'other', 'x y'), weight: 1 },
    );
    return fc.tuple(fc.tuple(...fields), bodyOf(operation), partner).map(([given, body, id]) => {
      const at = (place: Parameter['in']) =>
        given.flatMap(([one, value]) =>
          one.in === place && value !== undefined ? [[one.name, value] as const] : [],
        );
      const inPath = Object.fromEntries(at('path'));
      const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(inPath[name] || 'x'),
      );
      const query = new URLSearchParams(Object.fromEntries(at('query')));
      const headers = at('header').filter(([, value]) => HEADER_TEXT.test(value));
      return {
        path: `${filled}?${query}`,
        headers: { 'X-Cr-Application': id, ...Object.fromEntries(headers) },
        body,
      };
    });
  }

  it.each(operations)('$method $path', async ({ method, path, operation }) => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requestOf(path, operation), async ({ path: target, headers, body }) => {
        // A path of dots is another path.
        fc.pre(!/\/\.{1,2}(?:[/?]|$)/.test(decodeURIComponent(target.split('?')[0] ?? '')));
        const sent = body === undefined ? {} : { body };
        const request = new Request(BASE + target, { method, headers, ...sent });
        const answer = await shop.current().handle(request);
        seen.add(answer.status);
        const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
        const media = resolved(operation.responses[answer.status])?.content?.[type];
        expect({ status: answer.status, type, isWritten: media !== undefined }).toMatchObject({
          isWritten: true,
        });
        expect(answer.status).not.toBe(500);
        if (type !== JSON_TYPE) return answer.body?.cancel();
        expect(faultsOf(media?.schema ?? {}, await answer.json())).toBeUndefined();
      }),
      { numRuns: fuzzRuns(40) },
    );
    // It was not refusals alone.
    const isPaid = '402' in operation.responses;
    const best = method === 'POST' && /verify|settle|refund_address/.test(path) ? 400 : 200;
    const wanted = /^\/v1\/orders\//.test(path) ? 404 : isPaid ? 402 : best;
    expect([...seen]).toContain(wanted);
  });
});
