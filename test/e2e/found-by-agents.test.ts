/** What programs of others find at this host, of which they know the address alone. */
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import {
  checkEndpointSchema,
  getOpenAPI,
  getWarningsFor402Body,
  getWarningsForOpenAPI,
} from '@agentcash/discovery';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { extractDiscoveryInfo, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar';
import { discoverOriginSchema } from 'agentcash-discovery-1.6';
import { DiscoveryDocument, validate } from 'mppx/discovery';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { postJson } from '../support/post-json.ts';
import { serveHere } from '../support/served-here.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { x402Payer } from '../support/x402-payer.ts';

const { url } = await serveHere(makeHome());
const orders = `${url}/v1/orders`;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}
interface Operation {
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': { readonly example: Record<string, unknown> };
    };
  };
  readonly 'x-payment-info'?: unknown;
}
const document = await fetch(`${url}/openapi.json`);
const openApi = (await document.json()) as OpenApi;
const example = openApi.paths['/v1/orders']?.post?.requestBody.content['application/json'].example;

/** Runs a program of a package by its file; gives what it printed, also where it fails. */
async function run(file: string, ...words: readonly string[]): Promise<string> {
  const program = promisify(execFile)(process.execPath, [join(modules, file), ...words]);
  return program.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

describe.each([
  ['1.7', '@agentcash/discovery'],
  ['1.6, which agentcash 0.14 has', 'agentcash-discovery-1.6'],
])('Agentcash Discovery %s', (_version, name) => {
  const program = `${name}/bin/discovery.js`;

  it('lists every route, and the one that is paid with its price', async () => {
    const told = JSON.parse(await run(program, 'discover', url, '--json'));
    const paths = Object.values(openApi.paths).flatMap((methods) => Object.keys(methods));
    expect(told).toMatchObject({ ok: true, selectedStage: 'openapi' });
    expect(told.resources).toHaveLength(paths.length);
    const paid = told.resources.filter((one: { authHint?: string }) => one.authHint === 'paid');
    expect(paid).toMatchObject([
      {
        ...{ method: 'POST', path: '/v1/orders', protocols: ['x402'] },
        priceHint: expect.stringMatching(/^0\.\d+-\d+\.\d+ USD$/),
      },
    ]);
  });

  it('says of /v1/orders that it is paid', async () => {
    const told = JSON.parse(await run(program, 'check', orders, '--json'));
    expect(told.warnings).toEqual([]);
    expect(told.advisories).toMatchObject([
      { method: 'GET', authMode: 'siwx' },
      {
        ...{ method: 'POST', authMode: 'paid', protocols: ['x402'] },
        estimatedPrice: expect.stringMatching(/ USD$/),
        inputSchema: { requestBody: { required: ['email', 'items'] } },
        outputSchema: { required: ['order_id', 'status', 'poll_url'] },
      },
    ]);
  });
});

describe('Agentcash Discovery', () => {
  type Found = Awaited<ReturnType<typeof checkEndpointSchema>>;
  const advisoriesOf = (found: Found) => (found.found ? found.advisories : []);
  const modesOf = (found: Found) =>
    advisoriesOf(found).map(({ method, authMode }) => `${method} ${authMode}`);

  it('finds no fault with the document', async () => {
    const read = await getOpenAPI(url);
    expect(getWarningsForOpenAPI(read.unwrapOr(null))).toEqual([]);
  });

  it('asks for the exact price with the example, and finds no fault with the 402', async () => {
    const found = await checkEndpointSchema({ url: orders, sampleInputBody: example ?? {} });
    // GET lists the orders of a wallet, for which it signs in.
    expect(modesOf(found)).toEqual(['GET siwx', 'POST paid', 'HEAD siwx']);
    const [, order] = advisoriesOf(found);
    expect(order).toMatchObject({
      source: 'probe',
      paymentOptions: [
        { protocol: 'x402', amount: '1010000', network: expect.stringMatching(/^solana:/) },
        { protocol: 'x402', amount: '1010000', network: 'eip155:8453' },
      ],
    });
    expect(getWarningsFor402Body(order?.paymentRequiredBody)).toEqual([]);
  });

  it('takes nothing for free where it asks without a body', async () => {
    const found = await checkEndpointSchema({ url: orders, probe: true });
    expect(modesOf(found)).toEqual(['GET siwx', 'HEAD siwx']);
  });

  it('reads /.well-known/x402 where it gets no document', async () => {
    const target = url;
    expect(
      await discoverOriginSchema({ target, specificationOverrideUrl: `${url}/none.json` }),
    ).toMatchObject({
      ...{ found: true, source: 'well-known/x402' },
      endpoints: [{ method: 'POST', path: '/v1/orders' }],
      guidance: expect.stringContaining('POST /v1/orders'),
    });
  });
});

describe('mppx', () => {
  const program = 'mppx/dist/bin.js';

  it('takes the document for valid, also as a program', async () => {
    expect(validate(openApi)).toEqual([]);
    const told = await run(program, 'discover', 'validate', `${url}/openapi.json`);
    expect(told).toBe('Discovery document is valid.\n');
  });

  it('reads an offer for each network', () => {
    const { paths = {} } = DiscoveryDocument.parse(openApi);
    expect(paths['/v1/orders']?.post?.['x-payment-info']?.offers).toMatchObject([
      {
        amount: null,
        intent: 'charge',
        method: 'x402',
        network: expect.stringMatching(/^solana:/),
      },
      { amount: null, intent: 'charge', method: 'x402', network: 'eip155:8453' },
    ]);
  });

  it('finds llms.txt and, after the 400 to an empty request, the payment', async () => {
    const told = JSON.parse(await run(program, 'validate', url, '--outputJson'));
    const checks = [...told.discovery.checks, ...told.endpoints[0].challenge];
    expect(told.discovery.endpoints).toEqual([{ method: 'POST', path: '/v1/orders' }]);
    expect(checks.filter(({ severity }) => severity === 'pass').map(({ label }) => label)).toEqual([
      'llms.txt found and nonempty',
      'Document found and parseable',
      'Valid OpenAPI structure',
      'Paid endpoints found',
      'Returns 402 without credentials',
      'x402 payment challenge',
    ]);
    expect(told.summary.failed).toBe(0);
  });
});

it('@x402/extensions: a facilitator catalogs the order from its payment', async () => {
  const reply = await postJson(orders, { ...example, email: 'somebody@example.org' });
  const required = decodePaymentRequiredHeader(reply.headers.get('PAYMENT-REQUIRED') ?? '');
  const { bazaar } = required.extensions ?? {};
  expect(validateDiscoveryExtensionSpec(Object(bazaar))).toEqual({ valid: true });
  const [accepted] = required.accepts;
  if (!accepted) throw new Error('nothing is accepted');
  // As clients of x402 echo it.
  const { resource, extensions = {} } = required;
  const payload = { x402Version: 2, resource, accepted, payload: {}, extensions };
  const found = extractDiscoveryInfo(payload, accepted);
  expect(found).toMatchObject({
    ...{ resourceUrl: orders, method: 'POST', x402Version: 2 },
    discoveryInfo: { input: { type: 'http', bodyType: 'json', body: example } },
  });
  // What is cataloged is public.
  expect(JSON.stringify(bazaar)).not.toContain('somebody');
  // It comes back in the header of the payment, of which 8 kB are read.
  expect(JSON.stringify(bazaar).length).toBeLessThan(1_400);
});

describe('@a2a-js/sdk', () => {
  it('reads the card', async () => {
    const card = await new DefaultAgentCardResolver().resolve(url);
    expect(card).toMatchObject({
      supportedInterfaces: [{ url: `${url}/openapi.json` }, { url: `${url}/mcp` }],
      capabilities: { extensions: [{ uri: `${url}/.well-known/x402.json`, required: false }] },
    });
    expect(card.skills.map(({ id }) => id)).toContain('postOrder');
  });

  it('finds no transport of its own, since nobody is written to here', async () => {
    await expect(new ClientFactory().createFromUrl(url)).rejects.toThrow('No compatible transport');
  });
});

/** A buyer whose every word is checked against the generated types. */
const BUYER = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Required = components['schemas']['PaymentRequired'];
type Sign = (requirement: components['schemas']['PaymentRequirement']) => Promise<string>;

export async function buy(baseUrl: string, sign: Sign) {
  const client = createClient<paths>({ baseUrl });
  const query = { country_code: 'us', brand_name: 'Amazon.com' };
  const { data: items = [] } = await client.GET('/v1/catalog', { params: { query } });
  const product = items.find(({ is_range }) => !is_range);
  if (!product) throw new Error('no product');
  const { product_id } = product;
  const body = {
    email: 'you@example.com',
    items: [{ product_id, beneficiary_account: 'friend@example.com' }],
  };
  // @ts-expect-error An order names its items.
  const faulty = await client.POST('/v1/orders', { body: { email: body.email } });
  if (faulty.response.status !== 400) throw new Error('taken without items');
  const asked = await client.POST('/v1/orders', { body });
  if (!asked.error || !('accepts' in asked.error)) throw new Error('not asked to pay');
  const required: Required = asked.error;
  const [requirement] = required.accepts;
  if (!requirement) throw new Error('nothing is accepted');
  const header = {
    'PAYMENT-SIGNATURE': await sign(requirement),
    'X-Session-Id': asked.response.headers.get('X-Session-Id') ?? '',
  };
  const { data: receipt } = await client.POST('/v1/orders', { body, params: { header } });
  if (!receipt) throw new Error('not paid');
  const path = { order_id: receipt.order_id };
  return async (): Promise<readonly (string | undefined)[]> => {
    const { data: order } = await client.GET('/v1/orders/{order_id}', { params: { path } });
    return order?.deliveries?.map(({ voucher_code }) => voucher_code) ?? [];
  };
}
`;

type Buy = (
  baseUrl: string,
  sign: (requirement: never) => Promise<string>,
) => Promise<() => Promise<readonly (string | undefined)[]>>;

describe('openapi-typescript', () => {
  const folder = tempFolder();
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const buyer = join(folder, 'buyer.ts');

  it('generates types with which a client compiles', async () => {
    const types = await openapiTS(new URL(`${url}/openapi.json`));
    writeFileSync(join(folder, 'schema.ts'), astToString(types));
    writeFileSync(buyer, BUYER);
    const program = ts.createProgram([buyer], {
      ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
    });
    const problems = ts.getPreEmitDiagnostics(program);
    expect(
      problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ).toEqual([]);
  });

  it('buys with it', async () => {
    const { outputText } = ts.transpileModule(BUYER, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const file = join(folder, 'buyer.js');
    writeFileSync(file, outputText);
    const { buy }: { buy: Buy } = await import(pathToFileURL(file).href);
    const payer = await x402Payer(url);
    const codes = await buy(url, async (requirement) => {
      const { paymentPayload } = await payer.pay(requirement);
      return btoa(JSON.stringify(paymentPayload));
    });
    await expect.poll(codes).toEqual([expect.stringMatching(/^TEST-/)]);
  });
});
