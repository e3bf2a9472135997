/** The free part: brands, products and prices. */
import type { Hono } from 'hono';
import {
  getBrands,
  getCatalog,
  getPrice,
  type WireBrand,
  type WireCatalogItem,
  type WirePriceQuote,
} from '../contract/checkout.ts';
import { getAvailableCountries } from '../contract/site.ts';
import { USDC_DECIMALS } from '../contract/x402.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal } from '../domain/money.ts';
import {
  acceptFaceValue,
  type Brand,
  describeRange,
  formatFaceValue,
  type Product,
} from '../domain/product.ts';
import type { Catalog } from './catalog.ts';
import { createCountriesHandler } from './countries-route.ts';
import { sha256Hex } from './digest.ts';
import { type Refusal, refuse } from './errors.ts';
import { decimalText } from './line.ts';
import type { Limits, ServiceOptions } from './options.ts';
import { faceValueUsd, priceUsdc } from './pricing.ts';
import { jsonReply } from './reply.ts';
import { type Answer, serve } from './route.ts';

type Shop = Pick<ServiceOptions, 'catalog' | 'rates' | 'marginBps' | 'clock'> & {
  readonly limits: Limits;
};

export function browseRoutes(app: Hono, shop: Shop): void {
  const { catalog, limits } = shop;
  const pages = createBrandPages(catalog);
  serve(app, getBrands, limits, async ({ country_code }, request) => {
    if (!sellsIn(catalog, country_code)) return countryNotSupported(country_code);
    return pageReply(await pages(country_code), request);
  });
  serve(app, getCatalog, limits, (query) => {
    const { country_code, brand_name, family_name } = query;
    if (!sellsIn(catalog, country_code)) return countryNotSupported(country_code);
    const unknown = unknownFilter(catalog, query);
    if (unknown) return unknown;
    const products = catalog.products(country_code, {
      ...(brand_name !== undefined && { brandName: brand_name }),
      ...(family_name !== undefined && { family: family_name }),
    });
    return jsonReply(products.map((product) => toItem(shop, product)));
  });
  serve(app, getPrice, limits, (query) => quote(shop, query));
  serve(app, getAvailableCountries, limits, createCountriesHandler(catalog));
}

/** A country's brands, serialised once: the catalog's version is part of the key. */
interface Page {
  readonly body: Uint8Array;
  readonly etag: string;
}

function createBrandPages(catalog: Catalog): (countryCode: string) => Promise<Page> {
  const pages = new Map<string, Promise<Page>>();
  return (countryCode) => {
    const key = `${catalog.version} ${countryCode}`;
    const page = pages.get(key) ?? renderBrands(catalog.brands(countryCode));
    pages.set(key, page);
    return page;
  };
}

async function renderBrands(brands: readonly Brand[]): Promise<Page> {
  const json = JSON.stringify(brands.map(toBrand));
  const etag = `"${(await sha256Hex(json)).slice(0, 32)}"`;
  return { body: new TextEncoder().encode(json), etag };
}

function pageReply({ body, etag }: Page, request: Request): Response {
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  const known = (request.headers.get('If-None-Match') ?? '').split(',');
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(body, { headers: { ...headers, 'Content-Type': 'application/json' } });
}

function toBrand(brand: Brand): WireBrand {
  return {
    brand_name: brand.name,
    family: brand.family,
    category: brand.category,
    min: formatFaceValue(brand.minFaceValue),
    max: formatFaceValue(brand.maxFaceValue),
  };
}

function toItem(shop: Shop, product: Product): WireCatalogItem {
  const { brand, denomination } = product;
  const isFixed = !denomination.isRange;
  return {
    product_id: product.productId,
    product_name: product.name,
    brand_name: brand.name,
    denomination: isFixed
      ? `${formatFaceValue(denomination.faceValue)} ${brand.currency}`
      : String(describeRange(product)),
    denomination_label: product.label,
    currency: brand.currency,
    is_range: denomination.isRange,
    price_usdc: isFixed ? priceText(shop, product, denomination.faceValue) : 'variable',
    country_code: brand.countryCode,
    type: brand.kind,
    ...(isFixed
      ? { face_value_usd: toNumber(faceValueUsd(product, denomination.faceValue, shop.rates)) }
      : { min_value: toNumber(denomination.min), max_value: toNumber(denomination.max) }),
  };
}

type PriceQuery = ReturnType<ReturnType<typeof getPrice.input>['parse']>;

function quote(shop: Shop, query: PriceQuery): Answer {
  const { catalog, clock, limits } = shop;
  if (!sellsIn(catalog, query.country_code)) return countryNotSupported(query.country_code);
  const unknown = unknownFilter(catalog, query);
  if (unknown) return unknown;
  const product = catalog.product(query.product_id);
  if (!product || !isOf(product.brand, query)) {
    return refuse('product_not_found', `${query.brand_name} has no product with this id.`);
  }
  const faceValue = acceptFaceValue(product, decimalText(query.product_value));
  const expiresAtMs = clock.now() + limits.quoteTtlMs;
  return jsonReply(toQuote(shop, { product, faceValue, expiresAtMs }), 200, {
    'Cache-Control': 'no-store',
  });
}

interface Quoted {
  readonly product: Product;
  readonly faceValue: Atomic;
  readonly expiresAtMs: number;
}

/** Numbers are served as strings here, as the interface's sample does. */
function toQuote(shop: Shop, { product, faceValue, expiresAtMs }: Quoted): WirePriceQuote {
  const { brand, denomination } = product;
  return {
    product_id: product.productId,
    product_name: product.name,
    brand_name: brand.name,
    country_code: brand.countryCode,
    is_range: denomination.isRange,
    face_value: formatFaceValue(faceValue),
    currency: brand.currency,
    price_usdc: priceText(shop, product, faceValue),
    ...(denomination.isRange && {
      min_value: formatFaceValue(denomination.min),
      max_value: formatFaceValue(denomination.max),
    }),
    quote_expires_at: new Date(expiresAtMs).toISOString(),
  };
}

function sellsIn(catalog: Catalog, countryCode: string): boolean {
  return catalog.countries.some(({ code, isSold }) => isSold && code === countryCode);
}

function countryNotSupported(countryCode: string): Refusal {
  return refuse('country_not_supported', `Nothing is sold in ${countryCode}.`);
}

interface Filter {
  readonly country_code: string;
  readonly brand_name?: string | undefined;
  readonly family_name?: string | undefined;
}

function unknownFilter(catalog: Catalog, filter: Filter): Refusal | undefined {
  const { country_code, brand_name, family_name } = filter;
  const brands = catalog.brands(country_code);
  if (brand_name !== undefined && !brands.some(({ name }) => name === brand_name)) {
    return refuse('unknown_brand', `No brand of this name is sold in ${country_code}.`);
  }
  if (family_name !== undefined && !brands.some(({ family }) => family === family_name)) {
    return refuse('unknown_family', `No family of this name is sold in ${country_code}.`);
  }
  return undefined;
}

function isOf(brand: Brand, { country_code, brand_name }: Filter): boolean {
  return brand.countryCode === country_code && brand.name === brand_name;
}

function priceText(shop: Shop, product: Product, faceValue: Atomic): string {
  return formatDecimal(priceUsdc(product, faceValue, shop.rates, shop), USDC_DECIMALS, 2);
}

/** The interface has JSON numbers here; nothing is reckoned with them. */
function toNumber(value: Atomic): number {
  return Number(formatDecimal(value, FACE_DECIMALS));
}
