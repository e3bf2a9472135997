/** What a program needs that has never seen this host: how to buy, at which prices, and where else to look. */
import * as checkout from '../../contract/checkout.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { DOCUMENT_PATHS, getManifest } from '../../contract/manifest.ts';
import { surfacesOf } from '../../contract/surfaces.ts';
import { TOOL_MANIFEST_VERSION, TOOL_SERVER_PATHS } from '../../contract/tool-manifest.ts';
import { networkTitle } from '../../contract/usdc.ts';
import * as x402 from '../../contract/x402.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money/money.ts';
import { priceUsdc } from '../catalog/pricing.ts';
import { type ServiceOptions, shopNameOf } from '../options.ts';

type Priced = Pick<ServiceOptions, 'catalog' | 'rates' | 'marginBps'>;
export type Shop = Priced & Pick<ServiceOptions, 'rails' | 'baseUrl' | 'partner'>;

/** A shop, with what an order may cost there, in USD; undefined if nothing is sold. */
export type Host = Shop & { range(): ReturnType<typeof priceRange> };

/** Interface: Versioning, 1. */
export const API_VERSION = '1.0.0';

/** Looks through the whole catalog only after it or a rate changed. */
export function rememberRange(shop: Priced): Host['range'] {
  let known: { readonly version: string; readonly range: ReturnType<Host['range']> } | undefined;
  return () => {
    const version = `${shop.catalog.version} ${shop.rates.version}`;
    if (known?.version !== version) known = { version, range: priceRange(shop) };
    return known.range;
  };
}

/** From the cheapest item to a full order of the dearest. */
function priceRange(shop: Priced) {
  const { catalog, rates } = shop;
  let range: readonly [min: Atomic, max: Atomic] | undefined;
  const sold = catalog.countries.filter(({ isSold }) => isSold);
  for (const brand of sold.flatMap(({ code }) => catalog.brands(code))) {
    if (brand.isOutOfStock || rates.picoUsdPer(brand.currency) === undefined) continue;
    const priceOf = (value: Atomic) => priceUsdc({ name: brand.name, brand }, value, rates, shop);
    const [min, max] = [priceOf(brand.minFaceValue), priceOf(brand.maxFaceValue)];
    const [least, most] = range ?? [min, max];
    range = [least < min ? least : min, most > max ? most : max];
  }
  if (range === undefined) return undefined;
  const written = (value: bigint) => formatDecimal(atomic(value), x402.USDC_DECIMALS, 2);
  return { min: written(range[0]), max: written(range[1] * BigInt(checkout.MAX_ITEMS_PER_ORDER)) };
}

export function describeShop({ rails }: Pick<Host, 'rails'>): string {
  const networks = rails.map(({ network }) => networkTitle(network)).join(' or ');
  return `Sells gift cards, mobile top-ups and eSIMs for USDC on ${networks}: x402 version 2, without an account.`;
}

const call = ({ method, path }: Endpoint) => `${method} ${path}`;

/** How to buy; in `info.x-guidance` and in llms.txt. */
export function guidance(host: Pick<Host, 'range'>): string {
  const range = host.range();
  const price = range ? ` An order costs from ${range.min} to ${range.max} USD.` : '';
  return [
    `1. ${call(checkout.getBrands)}: brands of a country.`,
    `2. ${call(checkout.getCatalog)} with brand_name: products; take product_id.`,
    `3. If is_range is true, choose product_value between min_value and max_value, and ask ${call(checkout.getPrice)}.`,
    `4. ${call(checkout.postOrder)} with e-mail address and items answers 402 with the exact price: this buys nothing. An empty or wrong body answers 400, so ask with a whole order; the example of ${DOCUMENT_PATHS.openApi} is one.${price}`,
    `5. Compare the amount of the 402 with what the user agreed to. Then send the same request with ${x402.PAYMENT_SIGNATURE_HEADER} and ${x402.SESSION_HEADER}.`,
    `6. Read ${call(checkout.getOrder)} (poll_url) every 5 to 10 seconds until the status is no longer processing.`,
    'If an answer is lost, send the same request with the same payment again: it pays once. Never sign a second payment for it.',
  ].join('\n');
}

/** The text for language models (llmstxt.org). */
function llmsText(host: Host): string {
  const { baseUrl, partner } = host;
  const surfaces = surfacesOf({ hasPartners: partner !== undefined }).map(({ title, served }) =>
    [`## ${title}\n`, ...served.map(({ row }) => `- \`${call(row)}\`: ${row.summary}`)].join('\n'),
  );
  const links = [
    `- [OpenAPI](${baseUrl}${DOCUMENT_PATHS.openApi}): schemas, errors, examples and prices`,
    `- [Terms of payment](${baseUrl}${getManifest.path}): networks, asset and addresses`,
    ...(partner ? [`- [MCP](${baseUrl}${TOOL_SERVER_PATHS[0]}): the partner API as tools`] : []),
  ].join('\n');
  const title = `# ${shopNameOf({ ...partner, baseUrl })}`;
  const summary = `> ${describeShop(host)}`;
  return [title, summary, guidance(host), ...surfaces, `## Documents\n\n${links}\n`].join('\n\n');
}

/** In the form that x402scan and Agentcash Discovery before 1.7 read. */
function resourceList(host: Host) {
  return {
    version: 1,
    x402Version: x402.X402_VERSION,
    resources: [`${checkout.postOrder.method} ${host.baseUrl}${checkout.postOrder.path}`],
    description: describeShop(host),
    instructions: guidance(host),
  };
}

/**
 * The agent card of A2A 1.0. Nobody is written to here: its interfaces are HTTP and MCP, and the terms of
 * payment are a data-only extension. That of a2a-x402 would promise payments within messages.
 */
function agentCard(host: Host) {
  const { baseUrl, partner } = host;
  const http = { url: baseUrl + DOCUMENT_PATHS.openApi, protocolVersion: '3.1' };
  const mcp = { url: baseUrl + TOOL_SERVER_PATHS[0], protocolVersion: TOOL_MANIFEST_VERSION };
  const terms = { uri: baseUrl + getManifest.path, description: 'Terms of payment by x402' };
  const surfaces = surfacesOf({ hasPartners: partner !== undefined });
  return {
    name: shopNameOf({ ...partner, baseUrl }),
    description: describeShop(host),
    version: API_VERSION,
    supportedInterfaces: [
      { ...http, protocolBinding: 'https://spec.openapis.org/oas/v3.1' },
      ...(partner ? [{ ...mcp, protocolBinding: 'https://modelcontextprotocol.io' }] : []),
    ],
    documentationUrl: baseUrl + DOCUMENT_PATHS.llms,
    capabilities: { streaming: false, extensions: [{ ...terms, required: false }] },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: surfaces.flatMap(({ name, served }) =>
      served.map(({ row }) => {
        return { id: row.name, name: call(row), description: row.summary, tags: [name] };
      }),
    ),
  };
}

/** The documents besides OpenAPI, by path. */
export const DOCUMENTS: Readonly<Record<string, (host: Host) => object | string>> = {
  [DOCUMENT_PATHS.resources]: resourceList,
  [DOCUMENT_PATHS.card]: agentCard,
  [DOCUMENT_PATHS.llms]: llmsText,
};
