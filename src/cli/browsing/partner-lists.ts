/** Brands, products and prices by the partner API. */

import { inCountry } from '../../api/in-country.ts';
import { askedInCoin } from '../../api/partner/means.ts';
import { partnerHost } from '../../api/partner/place.ts';
import type {
  WirePartnerBrand,
  WirePartnerProduct,
  WireProductsForBrand,
} from '../../contract/partner-catalog.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Said, t } from '../../domain/message.ts';
import { USUAL_COIN } from '../../domain/payment-means.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import { wantedLanguage } from '../i18n/language.ts';
import { type Column, listView, type View } from '../output/view.ts';
import type { ListedProduct } from '../schemas/listing.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { boundsColumns, headerCurrency } from './bounds.ts';
import { choose, kindOf, type ListingFlags, ofCategory, ofName, valuesOf } from './listing.ts';
import { NO_PRODUCT, noteOf } from './product-list.ts';

/** @param currency of their bounds; undefined where it is not known */
export const partnerBrandColumns = (
  currency: string | undefined,
): readonly Column<WirePartnerBrand>[] => [
  { header: t`BRAND`, cell: ({ brand }) => brand, isWhole: true },
  { header: t`FAMILY`, cell: ({ family }) => family },
  { header: t`CATEGORY`, cell: ({ category }) => category },
  ...boundsColumns<WirePartnerBrand>(currency),
  { header: t`IN STOCK`, cell: ({ is_out_of_stock }) => (is_out_of_stock ? t`no` : t`yes`) },
];

/** @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD and the other codes of a call */
export async function partnerBrands(
  context: ScripContext,
  wanted: {
    readonly country: string;
    readonly search?: string;
    readonly category?: string;
  } & ListingFlags,
): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { listBrands } = await import('../../contract/partner-catalog.ts');
  const { search, category } = wanted;
  const [{ all_brands }, currency] = await Promise.all([
    inCountry(scripDeps(context), wanted, (code) =>
      callPartner(partnerHost(scripDeps(context), code), listBrands, {
        country_code: code.toUpperCase(),
      }),
    ),
    headerCurrency(context, wanted.country),
  ]);
  const inCategory = await ofCategory(all_brands, category);
  const found = await ofName(inCategory, ({ brand }) => brand, search);
  const { records, cut } = choose(found, brandFacets, wanted);
  const country = wanted.country.trim().toLowerCase();
  return listView({
    records,
    learned: {
      brands: { country, names: all_brands.map(({ brand }) => brand) },
      families: { country, names: all_brands.map(({ family }) => family) },
    },
    columns: partnerBrandColumns(currency),
    empty: t`No brand matches. Leave --search, --category, --kind, --min and --max out for all.`,
    ...(cut === undefined ? {} : { note: cut }),
  });
}

function brandFacets({ brand, category, min, max }: WirePartnerBrand) {
  return { name: brand, category, kind: kindOf(category), values: valuesOf(min, max) };
}

interface CatalogWanted extends ListingFlags {
  readonly country: string;
  readonly brand?: string;
  readonly family?: string;
  readonly search?: string;
  readonly coin?: string;
}

/** @throws {ScripError} BRAND_UNKNOWN, COUNTRY_UNKNOWN and the other codes of a call */
export async function partnerCatalog(context: ScripContext, wanted: CatalogWanted): Promise<View> {
  const brands = await listProducts(context, wanted);
  const found = brands.flatMap(({ products, brand, country_code, category }) =>
    products.map((product) => ({ category, listed: { brand, country_code, ...product } })),
  );
  if (found.length === 0 && wanted.brand !== undefined) throw noBrand(wanted);
  const named = await ofName(found, productName, wanted.search);
  const chosen = choose(named, productFacets, wanted);
  const records: readonly ListedProduct[] = chosen.records.map(({ listed }) => listed);
  const coin = records[0]?.coin ?? wanted.coin ?? USUAL_COIN;
  return listView({
    records,
    learned: { products: found.map(({ listed }) => rememberedOf(listed)) },
    columns: [
      { header: t`PRODUCT ID`, cell: ({ product_id }) => product_id, isWhole: true },
      { header: t`BRAND`, cell: ({ brand }) => brand },
      { header: t`VALUE`, cell: valueText },
      {
        header: t`PRICE ${coin}`,
        cell: ({ coin_amount }) => coin_amount ?? 'variable',
        align: 'right',
      },
    ],
    empty: NO_PRODUCT,
    ...noteOf(
      chosen.cut,
      records.some(({ is_dynamic }) => is_dynamic) &&
        t`A variable price is quoted for a value: scrip price <product id> … --value <n> --via partner`,
    ),
  });
}

function rememberedOf(listed: ListedProduct): RememberedProduct {
  const { product_id: id, brand, country_code } = listed;
  return { id, brand, country: country_code.toLowerCase(), label: String(valueText(listed)) };
}

function productName({ listed }: { readonly listed: ListedProduct }): string {
  return `${listed.brand} ${listed.denomination ?? ''}`.trim();
}

function productFacets({
  category,
  listed,
}: {
  readonly category: string;
  readonly listed: ListedProduct;
}) {
  const { range, face_value } = listed;
  const fixed = face_value && 'price' in face_value.amount ? face_value.amount.price : undefined;
  return {
    name: listed.denomination ?? listed.brand,
    category,
    kind: kindOf(category),
    values: range ? valuesOf(range.min, range.max) : valuesOf(fixed, fixed),
  };
}

async function listProducts(
  context: ScripContext,
  { country, brand, family, coin = USUAL_COIN }: CatalogWanted,
): Promise<readonly WireProductsForBrand[]> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { listProductsForCountry } = await import('../../contract/partner-catalog.ts');
  return inCountry(scripDeps(context), { country, brand }, (code) => {
    const host = partnerHost(scripDeps(context), code);
    return askedInCoin(host, coin, () =>
      callPartner(host, listProductsForCountry, {
        country_code: code.toUpperCase(),
        brand_name: brand,
        family_name: family,
        coin: coin.toUpperCase(),
        lang: wantedLanguage(context.settings),
      }),
    );
  });
}

function noBrand({ brand, country }: CatalogWanted): ScripError {
  return new ScripError('BRAND_UNKNOWN', t`no brand "${brand ?? ''}" is sold in ${country}`, {
    hint: commandText`Run: scrip search ${brand ?? ''} --country ${country}`,
  });
}

function valueText({ range, denomination }: WirePartnerProduct): Said {
  if (range === undefined) return denomination ?? '';
  return t`${range.min} to ${range.max} ${range.currency}`;
}

interface PriceWanted {
  readonly productId: string;
  readonly country: string;
  readonly brand: string;
  readonly value?: string;
  readonly coin?: string;
}

/** @throws {ScripError} PRODUCT_UNKNOWN, VALUE_REQUIRED and the codes of a call */
export async function partnerPrice(context: ScripContext, wanted: PriceWanted): Promise<View> {
  const brands = await listProducts(context, wanted);
  const product = brands
    .flatMap(({ products }) => products)
    .find(({ product_id }) => product_id === wanted.productId);
  if (product === undefined) {
    throw new ScripError(
      brands.length === 0 ? 'BRAND_UNKNOWN' : 'PRODUCT_UNKNOWN',
      t`${wanted.brand} has no product "${wanted.productId}" in ${wanted.country}`,
    );
  }
  const priced = product.is_dynamic ? await priceOf(context, product, wanted) : product;
  return {
    kind: 'record',
    record: priced,
    title: `${wanted.brand}, ${valueNamed(product, priced, wanted)}`,
    lines: [
      [t`Product`, priced.product_id],
      [t`Brand`, wanted.brand],
      [
        t`Value`,
        product.is_dynamic
          ? `${wanted.value ?? ''} ${product.range?.currency ?? ''}`
          : valueText(product),
      ],
      ...(product.is_dynamic ? [[t`Range`, valueText(product)] as const] : []),
      [t`Price`, t`${priced.coin_amount ?? t`unknown`} ${priced.coin}`],
      [t`Payment method`, priced.payment_method],
      [t`Points`, priced.points],
    ],
  };
}

/** What is priced, with its currency. */
function valueNamed(
  { range }: WirePartnerProduct,
  { denomination }: WirePartnerProduct,
  { value }: PriceWanted,
): string {
  return value === undefined ? (denomination ?? '') : `${value} ${range?.currency ?? ''}`.trim();
}

async function priceOf(
  context: ScripContext,
  product: WirePartnerProduct,
  { country, brand, value, coin = USUAL_COIN }: PriceWanted,
): Promise<WirePartnerProduct> {
  if (value === undefined) {
    throw new ScripError(
      'VALUE_REQUIRED',
      t`${brand} is sold at a value that you choose: ${valueText(product)}`,
    );
  }
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getProductPrice } = await import('../../contract/partner-catalog.ts');
  return inCountry(scripDeps(context), { country, brand }, (code) => {
    const host = partnerHost(scripDeps(context), code);
    return askedInCoin(host, coin, () =>
      callPartner(host, getProductPrice, {
        brand_name: brand,
        country_code: code.toUpperCase(),
        face_value: value,
        coin: coin.toUpperCase(),
      }),
    );
  });
}
