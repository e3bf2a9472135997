/** Lists and prices of the checkout host. */

import {
  getBrands,
  getCatalog,
  type WireBrand,
  type WireCatalogItem,
} from '../../contract/checkout.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { DEFAULT_COIN } from '../../domain/payment/payment-means.ts';
import { kindOfCategory } from '../../domain/product/categories.ts';
import { goodsName, PRODUCT_KINDS } from '../../domain/product/product.ts';
import type { Sold } from '../../domain/product/product-match.ts';
import {
  boundsOf,
  type CatalogReader,
  type ListedBrand,
  type ListedProduct,
  NOTHING_SAID,
  type PricedProduct,
  type PriceQuestion,
  readValue,
  type Section,
} from '../catalog-reader.ts';
import { countryError, familyError, inCountry, type Where } from '../in-country.ts';
import type { ScripDeps } from '../scrip.ts';

/** Price of a range product before its value is chosen (interface: CatalogItem). */
const VARIABLE = 'variable';

export function checkoutCatalog(deps: ScripDeps): CatalogReader {
  return {
    async brands(country) {
      const where = whereOf(deps, { country });
      const brands = await inCountry(deps, where, (code) => listBrands(deps, code));
      if (brands.length === 0) throw await countryError(deps, country);
      return brands.map(listedBrand);
    },
    products: (section) =>
      inCountry(deps, whereOf(deps, section), async (code) => {
        const products = await callCatalog(deps, code, section);
        if (products.length === 0) throw await nothingOf(deps, { ...section, country: code });
        return products.map(listedProduct);
      }),
    price: (wanted) => priceOf(deps, wanted),
    // The checkout host's interface has no fields for details.
    details: async () => NOTHING_SAID,
  };
}

/** Returns the brands of a country. @throws {ScripError} COUNTRY_NOT_SOLD and the other codes of a call */
export async function listBrands(
  deps: ScripDeps,
  countryCode: string,
): Promise<readonly WireBrand[]> {
  const { call } = await import('../http/call.ts');
  const input = { country_code: countryCode };
  return call(deps.fetch, deps.place.checkoutUrl, getBrands, input, deps);
}

/** Returns the products of a brand in a country. @throws {ScripError} the codes of a call */
export function listProducts(
  deps: ScripDeps,
  countryCode: string,
  brand: string,
): Promise<readonly WireCatalogItem[]> {
  return callCatalog(deps, countryCode, { brand });
}

async function callCatalog(
  deps: ScripDeps,
  countryCode: string,
  section: Pick<Section, 'brand' | 'family'>,
): Promise<readonly WireCatalogItem[]> {
  const { call } = await import('../http/call.ts');
  const { brand, family } = section;
  const input = { country_code: countryCode, brand_name: brand, family_name: family };
  return call(deps.fetch, deps.place.checkoutUrl, getCatalog, input, deps);
}

/** Looks a place up in this host's own lists, which errors use for suggestions. */
export function whereOf(deps: ScripDeps, place: Omit<Where, 'brands'>): Where {
  return { ...place, brands: async (code) => (await listBrands(deps, code)).map(listedBrand) };
}

/** Returns the error for an empty list, which real hosts send for anything unknown. */
async function nothingOf(deps: ScripDeps, section: Omit<Where, 'brands'>): Promise<ScripError> {
  const { brand = '', family, country } = section;
  return family === undefined
    ? new ScripError('BRAND_UNKNOWN', t`No brand "${brand}" is sold in ${country.toUpperCase()}`)
    : familyError(whereOf(deps, section));
}

function listedBrand(brand: WireBrand): ListedBrand {
  const { brand_name: name, family, category, min, max } = brand;
  return {
    name,
    family,
    category,
    min,
    max,
    isOutOfStock: undefined,
    document: brand,
    facets() {
      return { name, category, kind: kindOfCategory(category), values: boundsOf(min, max) };
    },
  };
}

export function listedProduct(item: WireCatalogItem): ListedProduct {
  const { product_id, product_name, brand_name, country_code, currency, is_range } = item;
  const label = item.denomination_label ?? item.denomination ?? '';
  const name = product_name ?? `${brand_name} ${label}`.trim();
  const kind = PRODUCT_KINDS.find((one) => one === item.type);
  return {
    id: product_id,
    name,
    brand: brand_name,
    countryCode: country_code,
    kind,
    currency,
    isRange: is_range,
    price: item.price_usdc === VARIABLE ? undefined : item.price_usdc,
    coin: DEFAULT_COIN,
    document: item,
    get values() {
      return is_range ? rangeValues(item) : fixedValue(item);
    },
    get valueText() {
      return valueText(item);
    },
    facets() {
      const { face_value_usd: usd, min_value, max_value } = item;
      const values = is_range ? boundsOf(min_value, max_value) : boundsOf(usd, usd);
      // A product has no category of its own.
      return { name, category: '', kind, values };
    },
  };
}

/** Returns both bounds or nothing: one alone would look like a fixed product. */
function rangeValues({ min_value, max_value }: WireCatalogItem): Sold['values'] {
  return max_value === undefined ? undefined : boundsOf(min_value, max_value);
}

/**
 * Returns the value in the product's currency, from `face_value_usd` for US dollars, otherwise from the start
 * of the label.
 */
function fixedValue(item: WireCatalogItem): Sold['values'] {
  const { denomination, denomination_label, face_value_usd, currency = 'USD' } = item;
  const [labelled] = [denomination_label, denomination].flatMap((label) =>
    label === undefined || PLAN.test(label) ? [] : [readValue(label)],
  );
  const value = (currency === 'USD' ? readValue(face_value_usd) : undefined) ?? labelled;
  return value === undefined ? undefined : { min: value, max: value };
}

/** A label such as `1 GB 7 days` names a plan: its number is not an amount of money. */
const PLAN = /^\s*\d[\d.,]*\s*(?:[KMGT]B|days?|hours?|min(?:ute)?s?|sms)\b/i;

/** Returns the label, or the bounds of a range product. */
function valueText(item: WireCatalogItem): Said {
  if (!item.is_range) return withCurrency(item.denomination_label ?? item.denomination ?? '', item);
  const { min_value: min = '?', max_value: max = '?', currency } = item;
  return currency === undefined ? t`${min} to ${max}` : t`${min} to ${max} ${currency}`;
}

/** Adds the currency to labels that are bare numbers, as some hosts send. */
function withCurrency(label: string, { currency }: WireCatalogItem): string {
  return /^\d[\d.,]*$/.test(label) ? `${label} ${currency ?? ''}`.trim() : label;
}

async function priceOf(
  deps: ScripDeps,
  { productId, country, brand, value }: PriceQuestion,
): Promise<PricedProduct> {
  const { quote } = await import('./price-quote.ts');
  const { wire } = await inCountry(deps, whereOf(deps, { country, brand }), (countryCode) =>
    quote(deps, { productId, country: countryCode, brand, value }, () =>
      listProducts(deps, countryCode, brand),
    ),
  );
  const { product_id, product_name, brand_name, currency, face_value, min_value, max_value } = wire;
  const name = product_name ?? brand_name;
  const faceValue = face_value?.toString() ?? '';
  return {
    productId: product_id,
    name,
    title: goodsName({ name, faceValue, currency }),
    brand: brand_name,
    value: face_value?.toString(),
    currency,
    faceValue: `${faceValue} ${currency}`.trim(),
    bounds: wire.is_range ? t`${min_value ?? '?'} to ${max_value ?? '?'} ${currency}` : undefined,
    price: wire.price_usdc,
    coin: DEFAULT_COIN,
    expiresAt: wire.quote_expires_at,
    document: wire,
  };
}
