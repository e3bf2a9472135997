/** The OpenAPI document, generated from the contract's endpoints, their schemas and the catalog. */
import { z } from 'zod';
import * as agent from '../../contract/agent.ts';
import * as checkout from '../../contract/checkout.ts';
import { PROBLEM_CODES } from '../../contract/codes.ts';
import { type Endpoint, type Lazy, pathFields } from '../../contract/endpoint.ts';
import { DOCUMENT_PATHS } from '../../contract/manifest.ts';
import { orderRefund, orderRefunds } from '../../contract/order-refunds.ts';
import * as catalog from '../../contract/partner-catalog.ts';
import * as market from '../../contract/partner-market.ts';
import * as orders from '../../contract/partner-orders.ts';
import { SIGN_IN_HEADER } from '../../contract/sign-in.ts';
import { availableCountry } from '../../contract/site.ts';
import * as surface from '../../contract/surfaces.ts';
import { paymentRequirement, X402_VERSION } from '../../contract/x402.ts';
import { WIRE_ERRORS } from '../http/replies.ts';
import { shopNameOf } from '../options.ts';
import { PARTNER_ERRORS } from '../partner/failure.ts';
import { APPLICATION } from '../partner/partner-gate.ts';
import { type Examples, examplesOf, receiptAt } from './examples.ts';
import { API_VERSION, describeShop, guidance, type Host } from './guidance.ts';

type Json = Readonly<Record<string, unknown>>;
type Served = surface.Served;
type Surface = surface.Surface;

/** Schemas that get a name of their own; all others are written where they are used. */
const NAMED: Readonly<Record<string, Lazy<z.ZodType>>> = {
  Brand: checkout.brand,
  CatalogItem: checkout.catalogItem,
  PriceQuote: checkout.priceQuote,
  OrderItem: checkout.orderItem,
  OrderRequest: checkout.orderRequest,
  Delivery: checkout.delivery,
  OrderReceipt: checkout.orderReceipt,
  OrderStatus: checkout.orderStatus,
  Error: checkout.errorBody,
  PaymentRequirement: paymentRequirement,
  PaymentRequired: surface.ownPaymentRequired,
  Country: availableCountry,
  Refund: orderRefund,
  Refunds: orderRefunds,
  Currency: market.currency,
  PaymentVia: market.paymentVia,
  PartnerBrand: catalog.partnerBrand,
  BrandList: catalog.brandList,
  PartnerProduct: catalog.partnerProduct,
  ProductsForBrand: catalog.productsForBrand,
  Deliverable: orders.productDeliverable,
  PartnerDelivery: orders.partnerDelivery,
  Problem: orders.orderProblem,
  TopLevelError: orders.topLevelError,
  CreateOrder: orders.createOrderRequest,
  ValidationRequest: orders.validationRequest,
  Validation: orders.validationResponse,
  PartnerOrder: orders.partnerOrder,
  ElicitationRequest: agent.elicitationRequest,
  Elicitation: agent.elicitationResponse,
};

interface Parts {
  readonly host: Host;
  readonly examples: Examples;
  readonly schemas: ReturnType<typeof schemasOf>;
}

export function openApi(host: Host): Json {
  const { baseUrl, partner } = host;
  const surfaces = surface.surfacesOf({ hasPartners: partner !== undefined });
  const parts: Parts = { host, examples: examplesOf(host), schemas: schemasOf(surfaces) };
  const paths: Record<string, Json> = {};
  for (const of of surfaces) {
    for (const one of of.served) {
      const { path, method } = one.row;
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(parts, of, one) };
    }
  }
  const { named } = parts.schemas;
  const llms = baseUrl + DOCUMENT_PATHS.llms;
  return {
    openapi: '3.1.0',
    info: {
      title: shopNameOf({ ...partner, baseUrl }),
      version: API_VERSION,
      description: describeShop(host),
      'x-guidance': guidance(host),
      contact: { url: partner?.website ?? baseUrl },
    },
    servers: [{ url: baseUrl }],
    tags: surfaces.map(({ name, title }) => ({ name, description: title })),
    security: [],
    paths,
    components: {
      schemas: { ...named, Problem: { ...named.Problem, ...problems() } },
      responses: Object.assign({}, ...surfaces.map((of) => refusalsOf(parts, of))),
      securitySchemes: { siwx: SIGN_IN_SCHEME, ...(partner && PARTNER_SCHEMES) },
    },
    'x-service-info': { categories: ['commerce'], docs: { homepage: baseUrl, llms } },
    'x-agentcash-guidance': { llmsTxtUrl: llms },
  };
}

const SIGN_IN_SCHEME = {
  ...{ type: 'apiKey', in: 'header', name: SIGN_IN_HEADER, 'x-agentcash-auth-kind': 'siwx' },
  description: 'A text of the 402, signed by the wallet (x402 sign-in-with-x)',
};
const PARTNER_SCHEMES = {
  application: { type: 'apiKey', in: 'header', name: APPLICATION, description: 'The partner id' },
  secret: { type: 'http', scheme: 'bearer', description: 'The secret of a partner that has one' },
};

function operationOf(parts: Parts, of: Surface, one: Served): Json {
  const { row, asks, headers = [], isKept = false } = one;
  const read = isKept ? [...headers, 'If-None-Match'] : headers;
  const inHeader = read.map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
  const isSecret = parts.host.partner?.arePartnersOpen === false;
  const partner = { application: [], ...(isSecret && { secret: [] }) };
  const { parameters, requestBody } = requestOf(parts, row);
  return {
    operationId: row.name,
    tags: [of.name],
    summary: row.summary,
    security: of.isOfPartners ? [partner] : asks === 'signIn' ? [{ siwx: [] }] : [],
    parameters: [...parameters, ...inHeader],
    ...(requestBody && { requestBody }),
    responses: responsesOf(parts, of, one),
    ...(asks === 'payment' && { 'x-payment-info': paymentInfo(parts) }),
  };
}

/**
 * The price in the forms of two families of tools: `price` and `protocols` (Agentcash Discovery 1.0),
 * and `offers`, whose amount is null because the order decides (paymentauth.org, discovery).
 */
function paymentInfo({ host }: Parts): Json {
  const networks = host.rails.map(({ network }) => network);
  return {
    price: { mode: 'dynamic', currency: 'USD', ...host.range() },
    protocols: [{ x402: { version: X402_VERSION, networks } }],
    offers: host.rails.map(({ network, asset }) => {
      return { amount: null, currency: asset, intent: 'charge', method: 'x402', network };
    }),
  };
}

function requestOf({ schemas, examples }: Parts, row: Endpoint) {
  const { $schema: _, ...whole } = z.toJSONSchema(row.input(), { io: 'input' });
  const { properties = {}, required = [] } = whole;
  const inPath = pathFields(row.path);
  const isGet = row.method === 'GET';
  const parameters = (isGet ? Object.keys(properties) : inPath).map((name) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: required.includes(name),
    schema: properties[name],
    ...(name in examples.fields && { example: examples.fields[name] }),
  }));
  if (isGet) return { parameters };
  const isInBody = (name: string) => !inPath.includes(name);
  const inBody = Object.entries(properties).filter(([name]) => isInBody(name));
  const part = { properties: Object.fromEntries(inBody), required: required.filter(isInBody) };
  const schema = inPath.length === 0 ? schemas.of(row.input()) : { ...whole, ...part };
  const example = examples.bodies[row.name];
  const requestBody = { required: true, content: contentOf(schema, example && { example }) };
  return { parameters, requestBody };
}

function contentOf(schema: Json, more: Json = {}, mediaType = 'application/json'): Json {
  return { [mediaType]: { schema, ...more } };
}

function responsesOf(parts: Parts, of: Surface, one: Served): Json {
  const { row, bodies = {}, replyHeaders = {}, mediaType, isKept = false } = one;
  const { schemas, host } = parts;
  const written = (status: number, description: string, schema: Json, more?: Json) => ({
    description,
    headers: headersNamed(replyHeaders[status] ?? []),
    content: contentOf(schema, more, status === 200 ? mediaType : undefined),
  });
  const isReceipt = row.output === checkout.orderReceipt;
  const example = isReceipt ? { example: receiptAt(host.baseUrl) } : {};
  const refusals = failuresOf(of, one).map((status) => {
    const body = bodies[status];
    const reply = body && written(status, codesOf(of, status).join(', '), schemas.of(body()));
    return [status, reply ?? { $ref: `#/components/responses/${of.name}${status}` }];
  });
  const success = written(200, row.summary, schemas.of(row.output()), example);
  const same = { description: 'The client has it: its ETag is in If-None-Match' };
  return { 200: success, ...(isKept && { 304: same }), ...Object.fromEntries(refusals) };
}

function failuresOf({ failures }: Surface, one: Served): readonly number[] {
  const size = one.row.method === 'POST' ? [413] : [];
  return [...new Set([...failures, ...one.failures, ...size])];
}

function headersNamed(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]));
}

/** The refusals of a surface by status, with an example for each code. */
function refusalsOf({ schemas }: Parts, of: Surface): Json {
  const statuses = of.served.flatMap((one) =>
    failuresOf(of, one).filter((status) => one.bodies?.[status] === undefined),
  );
  const refused = [...new Set(statuses)].map((status) => {
    const codes = codesOf(of, status);
    const examples = codes.map((code) => [code, { value: REFUSALS[of.name]?.(code, status) }]);
    const more = of.name in REFUSALS ? { examples: Object.fromEntries(examples) } : {};
    const headers = headersNamed([429, 503].includes(status) ? ['Retry-After'] : []);
    const content = contentOf(schemas.of(of.refusal()), more);
    return [`${of.name}${status}`, { description: codes.join(', '), headers, content }];
  });
  return Object.fromEntries(refused);
}

/** Bodies with a code; the guided purchase has sentences instead. */
const REFUSALS: Readonly<Record<string, (code: string, status: number) => Json>> = {
  checkout: (error) => ({ error }),
  facilitator: (error) => ({ error }),
  partner: (detail, status) => ({ status, detail }),
};

function codesOf({ name }: Surface, status: number): readonly string[] {
  const codes = Object.entries(name === 'partner' ? PARTNER_ERRORS : WIRE_ERRORS);
  return codes.filter(([, of]) => of === status).map(([code]) => code);
}

/** All schemas at once: those that have a name refer to each other by it. */
function schemasOf(surfaces: readonly Surface[]) {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema(), { id });
  const inline = new Map<z.ZodType, string>();
  for (const { row, bodies = {} } of surfaces.flatMap(({ served }) => served)) {
    for (const body of [row.input(), row.output(), ...Object.values(bodies).map((of) => of())]) {
      if (registry.has(body)) continue;
      const id = `inline${inline.size}`;
      inline.set(body, id);
      registry.add(body, { id });
    }
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri });
  const schemaOf = (id = ''): Json => {
    const { $schema: _, $id: __, ...schema } = schemas[id] ?? {};
    return schema;
  };
  return {
    named: Object.fromEntries(Object.keys(NAMED).map((id) => [id, schemaOf(id)])),
    /** A reference to a named schema, or the schema. */
    of: (schema: z.ZodType): Json =>
      inline.has(schema)
        ? schemaOf(inline.get(schema))
        : { $ref: uri(registry.get(schema)?.id ?? '') },
  };
}

/** What each problem of the partner API means, and what to do about it. */
function problems(): Json {
  const rows = Object.entries(PROBLEM_CODES);
  const lines = rows.map(([code, { meaning, remedy }]) => `- \`${code}\`: ${meaning}. ${remedy}`);
  return { description: lines.join('\n'), examples: rows.map(([problem]) => ({ problem })) };
}
