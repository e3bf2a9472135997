/** The free endpoints: brands, products and prices. */

import type { Hono } from 'hono';
import {
  getBrands,
  getCatalog,
  getPrice,
  type WireBrand,
  type WireCatalogItem,
  type WirePriceQuote,
} from '../../contract/checkout.ts';
import { getAvailableCountries, type WireCountry } from '../../contract/site.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal } from '../../domain/money/money.ts';
import {
  acceptFaceValue,
  type Brand,
  describeRange,
  formatFaceValue,
  type Product,
} from '../../domain/product/product.ts';
import { decimalText } from '../checkout/line.ts';
import { createPages, type Life, pageReply, quoteReply, whileSame } from '../http/ready.ts';
import { type Refusal, refuse } from '../http/replies.ts';
import { type Answer, serve } from '../http/route.ts';
import type { Limits, ServiceOptions } from '../options.ts';
import type { Catalog } from './catalog.ts';
import { faceValueUsd, priceUsdc } from './pricing.ts';

type Shop = Pick<ServiceOptions, 'catalog' | 'rates' | 'marginBps' | 'clock'> & {
  readonly limits: Limits;
};

/** Cached pages: small ones, such as a brand's, and large ones of whole countries. */
const SMALL_PAGES = 1_000;
const LARGE_PAGES = 48;

export function browseRoutes(app: Hono, shop: Shop): void {
  const { catalog, limits } = shop;
  const small = createPages(SMALL_PAGES);
  const large = createPages(LARGE_PAGES);
  serve(app, getBrands, limits, async ({ country_code }, request) => {
    if (!sellsIn(catalog, country_code)) return countryNotSupported(country_code);
    const life = lifeOf(shop);
    const key = `brands ${catalog.version} ${country_code}`;
    const page = await small(key, () => catalog.brands(country_code).map(toBrand));
    return pageReply(page, request, life);
  });
  serve(app, getCatalog, limits, async (query, request) => {
    if (!sellsIn(catalog, query.country_code)) return countryNotSupported(query.country_code);
    const unknown = unknownFilter(catalog, query);
    if (unknown) return unknown;
    const life = lifeOf(shop);
    const { country_code, brand_name = '', family_name = '' } = query;
    const key = JSON.stringify([versionOf(shop), country_code, brand_name, family_name]);
    const pages = brand_name === '' ? large : small;
    return pageReply(await pages(key, () => items(shop, query)), request, life);
  });
  serve(app, getPrice, limits, (query) => quote(shop, query));
  serve(app, getAvailableCountries, limits, async (_input, request) => {
    const life = lifeOf(shop);
    const page = await small(`countries ${catalog.version}`, () => countryList(catalog));
    return pageReply(page, request, life);
  });
}

/** Version of the data that lists and prices depend on. */
function versionOf({ catalog, rates }: Shop): string {
  return `${catalog.version} ${rates.version}`;
}

function lifeOf({ catalog, rates }: Shop): Life {
  return { isCurrent: whileSame(catalog, rates) };
}

function items(shop: Shop, { country_code, brand_name, family_name }: Filter): WireCatalogItem[] {
  const products = shop.catalog.products(country_code, {
    ...(brand_name !== undefined && { brandName: brand_name }),
    ...(family_name !== undefined && { family: family_name }),
  });
  return products.map((product) => toItem(shop, product));
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
  // Only the expiry changes between answers.
  const start = JSON.stringify(toQuote(shop, { product, faceValue })).slice(0, -1);
  const expiry = () => new Date(clock.now() + limits.quoteTtlMs).toISOString();
  return quoteReply(() => `${start},"quote_expires_at":"${expiry()}"}`, lifeOf(shop));
}

interface Quoted {
  readonly product: Product;
  readonly faceValue: Atomic;
}

/** Serves numbers as strings, as the interface's sample does. */
function toQuote(
  shop: Shop,
  { product, faceValue }: Quoted,
): Omit<WirePriceQuote, 'quote_expires_at'> {
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

/** The interface requires JSON numbers here; nothing is calculated with them. */
function toNumber(value: Atomic): number {
  return Number(formatDecimal(value, FACE_DECIMALS));
}

// The site's list of countries: all codes, whether sold in or not.

/** Returns the answer of `GET /api/available-countries`. */
function countryList({ countries }: Pick<Catalog, 'countries'>): readonly WireCountry[] {
  return countries.map(({ code, name, currency, isSold }) => ({
    code,
    name,
    currency,
    is_sold: isSold,
  }));
}
