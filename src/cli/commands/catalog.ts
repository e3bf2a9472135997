/** `scrip catalog`: the products of a brand or of a family. */
import type { Command } from 'commander';
import type { WireCatalogItem } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { PRODUCT_KINDS } from '../../domain/product.ts';
import type { Bind } from '../commands.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import { addListingOptions, choose, type ListingFlags, valuesOf } from '../listing.ts';
import { listView, type View } from '../output/view.ts';
import { addCoinOption, addSurfaceOption, isPartner, type SurfaceFlags } from '../partner.ts';
import { callOptions, familyError, inPlace } from '../place.ts';
import { NO_PRODUCT, noteOf } from '../product-list.ts';

interface CatalogOptions extends SurfaceFlags, ListingFlags {
  readonly country: string;
  readonly brand?: string;
  readonly family?: string;
}

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addCoinOption(addSurfaceOption(command))
      .requiredOption('--country <code>', 'two-letter country code, such as us')
      .option('--brand <name>', 'products of this brand')
      .option('--family <name>', 'products of this family, such as "Mobile Recharge"'),
  ).action((options: CatalogOptions) => bind((context) => run(context, options)));
  addExamples(command, [
    'catalog --country us --brand "Amazon.com"',
    'catalog --country us --brand "Amazon.com" --coin BTC',
    'catalog --country us --brand "Steam" --min 20 --max 50 --sort min',
    'catalog --country br --family "Mobile Recharge" --json',
  ]);
}

async function run(context: Context, options: CatalogOptions): Promise<View> {
  const { country, brand, family } = options;
  if (brand === undefined && family === undefined) {
    throw new ScripError('USAGE', 'name a brand or a family: the whole catalog is too much', {
      hint: 'Add --brand <name> or --family <name>; scrip brands lists both.',
    });
  }
  if (isPartner(options)) {
    const { partnerCatalog } = await import('../partner-catalog.ts');
    return partnerCatalog(context, options);
  }
  const found = await inPlace(context, options, (code) => listProducts(context, code, options));
  if (found.length === 0 && family !== undefined) {
    throw await familyError(context, country.trim().toLowerCase(), options);
  }
  if (found.length === 0 && brand !== undefined) {
    // Hosts in the wild answer an unknown brand with an empty list.
    await inPlace(context, options, async () => {
      throw new ScripError('BRAND_UNKNOWN', `no brand "${brand}" is sold in ${country}`);
    });
  }
  const { records, cut } = choose(found, facetsOf, options);
  return listView({
    records,
    learned: { products: found.map((item) => rememberedOf(item, country)) },
    columns: [
      { header: 'PRODUCT ID', cell: (item) => item.product_id, isWhole: true },
      { header: 'BRAND', cell: (item) => item.brand_name },
      { header: 'VALUE', cell: describeValue },
      { header: 'PRICE USDC', cell: (item) => item.price_usdc, align: 'right' },
    ],
    empty: NO_PRODUCT,
    ...noteOf(
      cut,
      records.some((item) => item.is_range) &&
        'A variable price is quoted for a value: scrip price <product id> … --value <n>',
    ),
  });
}

function rememberedOf(item: WireCatalogItem, country: string): RememberedProduct {
  return {
    id: item.product_id,
    brand: item.brand_name,
    country: country.trim().toLowerCase(),
    label: describeValue(item),
  };
}

function facetsOf(item: WireCatalogItem) {
  const { face_value_usd, min_value, max_value } = item;
  return {
    name: item.product_name ?? item.denomination_label ?? item.brand_name,
    category: '',
    kind: PRODUCT_KINDS.find((kind) => kind === item.type),
    values: item.is_range
      ? valuesOf(min_value, max_value)
      : valuesOf(face_value_usd, face_value_usd),
  };
}

async function listProducts(
  context: Context,
  code: string,
  { brand, family }: CatalogOptions,
): Promise<readonly WireCatalogItem[]> {
  const { call } = await import('../../client/call.ts');
  const { getCatalog } = await import('../../contract/checkout.ts');
  const query = { country_code: code, brand_name: brand, family_name: family };
  return call(context.fetch, context.settings.checkoutUrl, getCatalog, query, callOptions(context));
}

/** The label, or the bounds of a range product. */
function describeValue(item: WireCatalogItem): string {
  if (!item.is_range) return item.denomination_label ?? item.denomination ?? '';
  return `${item.min_value ?? '?'} to ${item.max_value ?? '?'} ${item.currency ?? ''}`.trim();
}
