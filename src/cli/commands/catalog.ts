/** `scrip catalog`: the products of a brand or of a family. */

import type { Command } from 'commander';
import { callOptions } from '../../api/http/call-options.ts';
import { familyError, inCountry } from '../../api/in-country.ts';
import type { WireCatalogItem } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Said, t } from '../../domain/message.ts';
import { PRODUCT_KINDS } from '../../domain/product.ts';
import {
  addListingOptions,
  choose,
  type ListingFlags,
  ofName,
  valuesOf,
} from '../browsing/listing.ts';
import { NO_PRODUCT, noteOf } from '../browsing/product-list.ts';
import { streamedAs, writeRows, written } from '../browsing/row-stream.ts';
import type { Bind } from '../command.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { RowFormatName } from '../output/row-text.ts';
import { listView, type View } from '../output/view.ts';
import {
  addCoinOption,
  addSurfaceOption,
  isPartner,
  type SurfaceFlags,
} from '../parsing/surface.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

interface CatalogOptions extends SurfaceFlags, ListingFlags {
  readonly country: string;
  readonly brand?: string;
  readonly family?: string;
  readonly search?: string;
}

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addCoinOption(addSurfaceOption(command))
      .requiredOption('--country <code>', 'two-letter country code, such as us')
      .option('--brand <name>', 'products of this brand')
      .option('--family <name>', 'products of this family, such as "Mobile Recharge"')
      .option('--search <text>', 'products whose name is like this'),
    // A product has no category of its own.
    ['name', 'min', 'max'],
  ).action((options: CatalogOptions) => bind((context) => run(context, options)));
  addExamples(command, [
    'catalog --country us --brand "Amazon.com"',
    'catalog --country us --brand "Amazon.com" --coin BTC',
    'catalog --country us --brand "Steam" --min 20 --max 50 --sort min',
    'catalog --country us --family "Gift Cards" --search "xbox" --max 25',
    'catalog --country br --family "Mobile Recharge" --json',
  ]);
}

async function run(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'system'>,
  options: CatalogOptions,
): Promise<View> {
  const { brand, family } = options;
  if (brand === undefined && family === undefined) {
    throw new ScripError('USAGE', t`name a brand or a family: the whole catalog is too much`, {
      hint: t`Add --brand <name> or --family <name>; scrip brands lists both.`,
    });
  }
  if (isPartner(options)) {
    const { partnerCatalog } = await import('../browsing/partner-lists.ts');
    return partnerCatalog(context, options);
  }
  const { search } = options;
  const format = search === undefined ? streamedAs(context, options) : undefined;
  if (format !== undefined) return streamProducts(context, options, format);
  const found = await inCountry(scripDeps(context), options, (code) =>
    listProducts(context, code, options),
  );
  if (found.length === 0) await refuseEmpty(context, options);
  const { records, cut } = choose(await ofName(found, nameOf, search), facetsOf, options);
  return listView({
    records,
    learned: { products: found.map((item) => rememberedOf(item, options.country)) },
    columns: [
      { header: t`PRODUCT ID`, cell: (item) => item.product_id, isWhole: true },
      { header: t`BRAND`, cell: (item) => item.brand_name },
      { header: t`VALUE`, cell: describeValue },
      { header: t`PRICE USDC`, cell: (item) => item.price_usdc, align: 'right' },
    ],
    empty: NO_PRODUCT,
    ...noteOf(
      cut,
      records.some((item) => item.is_range) &&
        t`A variable price is quoted for a value: scrip price <product id> … --value <n>`,
    ),
  });
}

function rememberedOf(item: WireCatalogItem, country: string): RememberedProduct {
  return {
    id: item.product_id,
    brand: item.brand_name,
    country: country.trim().toLowerCase(),
    label: String(describeValue(item)),
  };
}

async function streamProducts(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'system'>,
  options: CatalogOptions,
  format: RowFormatName,
): Promise<View> {
  const { getCatalog } = await import('../../contract/checkout.ts');
  const products: RememberedProduct[] = [];
  const see = (item: WireCatalogItem) => products.push(rememberedOf(item, options.country));
  const count = await inCountry(scripDeps(context), options, (code) => {
    const input = queryOf(code, options);
    return writeRows(context, { format, endpoint: getCatalog, input, facetsOf, see }, options);
  });
  if (count === 0) await refuseEmpty(context, options);
  return written({ products });
}

/** Hosts in the wild answer an unknown brand or family with an empty list. */
async function refuseEmpty(context: ScripContext, options: CatalogOptions): Promise<void> {
  const { country, brand, family } = options;
  if (family !== undefined) {
    throw await familyError(scripDeps(context), country.trim().toLowerCase(), options);
  }
  if (brand === undefined) return;
  await inCountry(scripDeps(context), options, async () => {
    throw new ScripError('BRAND_UNKNOWN', t`no brand "${brand}" is sold in ${country}`);
  });
}

function nameOf({ product_name, denomination_label, brand_name }: WireCatalogItem): string {
  return product_name ?? `${brand_name} ${denomination_label ?? ''}`.trim();
}

function facetsOf(item: WireCatalogItem) {
  const { face_value_usd, min_value, max_value } = item;
  return {
    name: nameOf(item),
    category: '',
    kind: PRODUCT_KINDS.find((kind) => kind === item.type),
    values: item.is_range
      ? valuesOf(min_value, max_value)
      : valuesOf(face_value_usd, face_value_usd),
  };
}

async function listProducts(
  { settings, parts }: With<'settings' | 'parts'>,
  code: string,
  options: CatalogOptions,
): Promise<readonly WireCatalogItem[]> {
  const { call } = await import('../../api/http/call.ts');
  const { getCatalog } = await import('../../contract/checkout.ts');
  const query = queryOf(code, options);
  return call(parts.fetch, settings.checkoutUrl, getCatalog, query, callOptions(parts));
}

function queryOf(code: string, { brand, family }: CatalogOptions) {
  return { country_code: code, brand_name: brand, family_name: family };
}

/** The label, or the bounds of a range product. */
function describeValue(item: WireCatalogItem): Said {
  if (!item.is_range) return withCurrency(item.denomination_label ?? item.denomination ?? '', item);
  const { min_value: min = '?', max_value: max = '?', currency } = item;
  return currency === undefined ? t`${min} to ${max}` : t`${min} to ${max} ${currency}`;
}

/** Some hosts call a denomination by its bare number. */
function withCurrency(label: string, { currency }: WireCatalogItem): string {
  return /^\d[\d.,]*$/.test(label) ? `${label} ${currency ?? ''}`.trim() : label;
}
