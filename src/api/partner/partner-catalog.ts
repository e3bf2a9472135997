/** Lists and prices of the partner API. */

import {
  getProductPrice,
  listBrands,
  listProductsForCountry,
  type WirePartnerBrand,
  type WirePartnerProduct,
  type WireProductsForBrand,
} from '../../contract/partner-catalog.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { DEFAULT_COIN } from '../../domain/payment/payment-means.ts';
import { kindOfCategory } from '../../domain/product/categories.ts';
import { PRODUCT_KINDS } from '../../domain/product/product.ts';
import {
  boundsOf,
  type CatalogReader,
  type ListedBrand,
  type ListedProduct,
  NOTHING_SAID,
  type PartnerListing,
  type PricedProduct,
  type PriceQuestion,
  type ProductDetails,
  readValue,
  type Section,
} from '../catalog-reader.ts';
import { inCountry, type Where } from '../in-country.ts';
import type { ScripDeps } from '../scrip.ts';
import { askedInCoin } from './means.ts';
import { callPartner } from './partner.ts';
import { partnerHost } from './place.ts';

export function partnerCatalog(deps: ScripDeps): CatalogReader {
  return {
    brands: (country) =>
      inCountry(deps, whereOf(deps, { country }), async (code) =>
        (await askBrands(deps, code)).map(listedPartnerBrand),
      ),
    async products(section) {
      const brands = await askProducts(deps, section);
      const found = brands.flatMap((brand) =>
        brand.products.map((product) => listedProduct(product, brand)),
      );
      if (found.length === 0 && section.brand !== undefined) throw noBrand(section);
      return found;
    },
    price: (wanted) => priceOf(deps, wanted),
    async details({ productId, ...section }) {
      const brands = await askProducts(deps, { ...section, language: deps.spokenLanguage });
      const found = brands.flatMap((brand) =>
        brand.products
          .filter(({ product_id }) => product_id === productId)
          .map((product) => detailsOf(product, brand)),
      );
      return found[0] ?? NOTHING_SAID;
    },
  };
}

async function askBrands(
  deps: ScripDeps,
  countryCode: string,
): Promise<readonly WirePartnerBrand[]> {
  const query = { country_code: countryCode.toUpperCase() };
  return (await callPartner(partnerHost(deps, countryCode), listBrands, query)).all_brands;
}

/** Looks a place up in this API's own lists, which errors use for suggestions. */
export function whereOf(deps: ScripDeps, place: Omit<Where, 'brands'>): Where {
  return {
    ...place,
    brands: async (code) => (await askBrands(deps, code)).map(listedPartnerBrand),
  };
}

function askProducts(deps: ScripDeps, section: Section): Promise<readonly WireProductsForBrand[]> {
  const { brand, family, coin = DEFAULT_COIN, language } = section;
  return inCountry(deps, whereOf(deps, section), (code) => {
    const host = partnerHost(deps, code);
    const asked = callPartner(host, listProductsForCountry, {
      country_code: code.toUpperCase(),
      brand_name: brand,
      family_name: family,
      coin: coin.toUpperCase(),
      lang: language,
    });
    return askedInCoin(host, coin, asked);
  });
}

function noBrand({ brand = '', country }: Section): ScripError {
  return new ScripError(
    'BRAND_UNKNOWN',
    t`No brand "${brand}" is sold in ${country.toUpperCase()}`,
    {
      hint: commandText`Run: scrip search ${brand} --country ${country}`,
    },
  );
}

export function listedPartnerBrand(brand: WirePartnerBrand): ListedBrand {
  const { brand: name, family, category, min, max, is_out_of_stock } = brand;
  return {
    name,
    family,
    category,
    min,
    max,
    isOutOfStock: is_out_of_stock,
    document: brand,
    facets() {
      return { name, category, kind: kindOfCategory(category), values: boundsOf(min, max) };
    },
  };
}

function listedProduct(
  product: WirePartnerProduct,
  { brand, country_code, category, kind }: WireProductsForBrand,
): ListedProduct {
  const { product_id, denomination, range, coin, coin_amount, is_dynamic } = product;
  const document: PartnerListing = { brand, country_code, ...product };
  const named = (name: string) => PRODUCT_KINDS.find((one) => one === name);
  return {
    id: product_id,
    name: `${brand} ${range === undefined ? (denomination ?? '') : boundsText(range)}`.trim(),
    brand,
    countryCode: country_code.toLowerCase(),
    kind: named(product.product_type) ?? named(kind),
    currency: product.face_value?.currency_code ?? range?.currency,
    isRange: is_dynamic,
    valueText: valueText(product),
    price: coin_amount ?? undefined,
    coin,
    document,
    get values() {
      return valuesOf(product);
    },
    facets() {
      const name = denomination ?? brand;
      return { name, category, kind: kindOfCategory(category), values: valuesOf(product) };
    },
  };
}

/** Writes bounds as the checkout host does: `1-2000 USD`. */
function boundsText({ min, max, currency }: NonNullable<WirePartnerProduct['range']>): string {
  return `${min}-${max} ${currency}`;
}

function valuesOf(product: WirePartnerProduct): ListedProduct['values'] {
  const { range } = product;
  const fixed = fixedValue(product);
  return range ? boundsOf(range.min, range.max) : boundsOf(fixed, fixed);
}

function fixedValue({ face_value }: WirePartnerProduct): string | undefined {
  return face_value && 'price' in face_value.amount ? face_value.amount.price : undefined;
}

function valueText({ range, denomination }: WirePartnerProduct): Said {
  if (range === undefined) return denomination ?? '';
  return t`${range.min} to ${range.max} ${range.currency}`;
}

function detailsOf(
  { valid_regions = [], delivery_type, additional_details, range }: WirePartnerProduct,
  { redeem_method, product_tc, rich_description, is_out_of_stock }: WireProductsForBrand,
): ProductDetails {
  const { how_to_redeem, redeem_geo, term_and_conditions, note } = rich_description ?? {};
  const regions = [redeem_geo, ...valid_regions].flatMap((region) => filled(region) ?? []);
  return {
    redeemMethods: redeem_method.flatMap((method) => filled(method) ?? []),
    howToRedeem: filled(how_to_redeem),
    regions: [...new Set(regions)],
    validity: validityOf(additional_details),
    terms: filled(term_and_conditions) ?? filled(product_tc),
    note: filled(note),
    deliveryType: filled(delivery_type),
    isOutOfStock: is_out_of_stock,
    // A step of zero would divide by it.
    valueStep: readValue(range?.step_size) || undefined,
  };
}

function filled(text: string | null | undefined): string | undefined {
  const said = text?.trim();
  return said === '' ? undefined : said;
}

/** Ours: the interface does not define the object's fields. */
function validityOf(details: WirePartnerProduct['additional_details']): string | undefined {
  const told = details?.validity;
  return typeof told === 'string' ? filled(told) : undefined;
}

async function priceOf(deps: ScripDeps, wanted: PriceQuestion): Promise<PricedProduct> {
  const { brand, productId, country } = wanted;
  const brands = await askProducts(deps, wanted);
  const product = brands
    .flatMap(({ products }) => products)
    .find(({ product_id }) => product_id === productId);
  if (product === undefined) {
    throw new ScripError(
      brands.length === 0 ? 'BRAND_UNKNOWN' : 'PRODUCT_UNKNOWN',
      t`${brand} has no product "${productId}" in ${country.toUpperCase()}`,
    );
  }
  return product.is_dynamic
    ? pricedRange(await priceAt(deps, product, wanted), product, wanted)
    : pricedFixed(product, wanted);
}

function pricedFixed(product: WirePartnerProduct, { brand }: PriceQuestion): PricedProduct {
  const value = valueText(product);
  return {
    ...pricedFacts(product, brand),
    title: `${brand} ${product.denomination ?? ''}`.trim(),
    value: fixedValue(product),
    currency: product.face_value?.currency_code,
    faceValue: value,
    bounds: undefined,
  };
}

function pricedRange(
  priced: WirePartnerProduct,
  product: WirePartnerProduct,
  { brand, value = '' }: PriceQuestion,
): PricedProduct {
  const currency = product.range?.currency;
  const faceValue = `${value} ${currency ?? ''}`.trim();
  return {
    ...pricedFacts(priced, brand),
    title: `${brand} ${faceValue}`,
    value,
    currency,
    faceValue,
    bounds: valueText(product),
  };
}

function pricedFacts(priced: WirePartnerProduct, brand: string) {
  return {
    productId: priced.product_id,
    name: brand,
    brand,
    price: priced.coin_amount ?? undefined,
    coin: priced.coin,
    // Ours: the interface names no expiry.
    expiresAt: undefined,
    paymentMethod: priced.payment_method,
    points: priced.points,
    document: priced,
  };
}

/** Returns the price of a chosen value. @throws {ScripError} VALUE_REQUIRED and the codes of a call */
async function priceAt(
  deps: ScripDeps,
  product: WirePartnerProduct,
  { country, brand, value, coin = DEFAULT_COIN }: PriceQuestion,
): Promise<WirePartnerProduct> {
  if (value === undefined) {
    throw new ScripError('VALUE_REQUIRED', t`${brand} needs a value: ${valueText(product)}`);
  }
  return inCountry(deps, whereOf(deps, { country, brand }), (code) => {
    const host = partnerHost(deps, code);
    const asked = callPartner(host, getProductPrice, {
      brand_name: brand,
      country_code: code.toUpperCase(),
      face_value: value,
      coin: coin.toUpperCase(),
    });
    return askedInCoin(host, coin, asked);
  });
}
