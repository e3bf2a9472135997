/** What a merchant sells, and which of it people mean by words. */

import {
  getBrands,
  getCatalog,
  type WireBrand,
  type WireCatalogItem,
} from '../contract/checkout.ts';
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../domain/money.ts';
import { PRODUCT_KINDS, type ProductKind } from '../domain/product.ts';
import { brandsMeant, type Match, productsMeant, type Sold } from '../domain/product-match.ts';
import { call } from './http/call.ts';

/** A product of a list, whichever merchant it is of. */
export interface ListedProduct extends Sold {
  /** Two letters, lowercase. */
  readonly countryCode: string;
  /** Undefined where the merchant does not say it. */
  readonly kind: ProductKind | undefined;
  readonly currency: string | undefined;
  /** Its value is chosen within bounds. */
  readonly isRange: boolean;
  /** Decimal USDC; undefined where it depends on the value. */
  readonly priceUsdc: string | undefined;
}

export interface ListedBrand {
  readonly name: string;
  readonly family: string;
  readonly category: string;
}

/** What of a country's catalog is asked for. */
export interface Section {
  readonly countryCode: string;
  readonly brand?: string | undefined;
  readonly family?: string | undefined;
}

/** A merchant's lists. Both throw the codes of a call. */
export interface CatalogReader {
  brands(countryCode: string): Promise<readonly ListedBrand[]>;
  products(section: Section): Promise<readonly ListedProduct[]>;
}

/** Lists of a checkout host. */
export function checkoutCatalog(host: {
  readonly fetch: Fetch;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}): CatalogReader {
  const { fetch, baseUrl, ...options } = host;
  return {
    async brands(countryCode) {
      const input = { country_code: countryCode };
      return (await call(fetch, baseUrl, getBrands, input, options)).map(listedBrand);
    },
    async products({ countryCode, brand, family }) {
      const input = { country_code: countryCode, brand_name: brand, family_name: family };
      return (await call(fetch, baseUrl, getCatalog, input, options)).map(listedProduct);
    },
  };
}

/** Brands that only look like the words: so many are asked for their products. */
const MOST_BRANDS = 5;

/**
 * The products that words mean in a country, best first; none where nothing is like them.
 * @param wanted.words an id, a brand, or the name of a product
 * @param wanted.value face value as a decimal
 * @throws {ScripError} AMOUNT_INVALID, and the codes of a call
 */
export async function findProducts(
  catalog: CatalogReader,
  {
    words,
    countryCode,
    value,
  }: {
    readonly words: string;
    readonly countryCode: string;
    readonly value?: string | undefined;
  },
): Promise<readonly Match<ListedProduct>[]> {
  const at = value === undefined ? undefined : parseDecimal(value, FACE_DECIMALS);
  const brands = await catalog.brands(countryCode);
  const lists = brandsMeant(brands, words)
    .slice(0, MOST_BRANDS)
    .map(({ name }) => catalog.products({ countryCode, brand: name }));
  const found = productsMeant((await Promise.all(lists)).flat(), words, at);
  if (found.some(({ isExact }) => isExact) || !mayBeId(words)) return found;
  const byId = await findById(catalog, { brands, words, countryCode });
  return byId === undefined ? found : productsMeant([byId], words, at);
}

/** Ids have digits and no spaces. */
function mayBeId(words: string): boolean {
  return /^\S*\d\S*$/.test(words.trim());
}

/** An id tells neither brand nor family: the families are read one after the other until it is found. */
async function findById(
  catalog: CatalogReader,
  {
    brands,
    words,
    countryCode,
  }: {
    readonly brands: readonly ListedBrand[];
    readonly words: string;
    readonly countryCode: string;
  },
): Promise<ListedProduct | undefined> {
  const id = words.trim().toLowerCase();
  for (const family of new Set(brands.map((brand) => brand.family))) {
    const products = await catalog.products({ countryCode, family });
    const found = products.find((product) => product.id.toLowerCase() === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listedBrand({ brand_name: name, family, category }: WireBrand): ListedBrand {
  return { name, family, category };
}

function listedProduct(item: WireCatalogItem): ListedProduct {
  const { product_id, product_name, brand_name, country_code, currency, type, price_usdc } = item;
  const label = item.denomination_label ?? item.denomination ?? '';
  return {
    id: product_id,
    name: product_name ?? `${brand_name} ${label}`.trim(),
    brand: brand_name,
    countryCode: country_code,
    kind: PRODUCT_KINDS.find((kind) => kind === type),
    currency,
    isRange: item.is_range,
    values: item.is_range ? boundsOf(item) : fixedValue(item),
    priceUsdc: price_usdc === 'variable' ? undefined : price_usdc,
  };
}

function boundsOf({ min_value, max_value }: WireCatalogItem): Sold['values'] {
  const [min, max] = [readValue(min_value), readValue(max_value)];
  return min === undefined || max === undefined ? undefined : { min, max };
}

/** In the currency of the product: its label begins with it, and `face_value_usd` is that in dollars alone. */
function fixedValue(item: WireCatalogItem): Sold['values'] {
  const { denomination, denomination_label, face_value_usd, currency = 'USD' } = item;
  const labelled = readValue((denomination_label ?? denomination)?.split(' ')[0]);
  const value = labelled ?? (currency === 'USD' ? readValue(face_value_usd) : undefined);
  return value === undefined ? undefined : { min: value, max: value };
}

/** Undefined where there is none that can be read. */
function readValue(told: string | number | undefined): Atomic | undefined {
  if (told === undefined) return undefined;
  try {
    return parseDecimal(String(told), FACE_DECIMALS);
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}
