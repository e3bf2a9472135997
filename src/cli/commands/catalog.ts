/** `scrip catalog`: the products of a brand or of a family. */
import type { Command } from 'commander';
import type { WireCatalogItem } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import { listView, type View } from '../output/view.ts';
import { addCoinOption, addSurfaceOption, isPartner, type SurfaceFlags } from '../partner.ts';
import { callOptions, familyError, inPlace } from '../place.ts';

interface CatalogOptions extends SurfaceFlags {
  readonly country: string;
  readonly brand?: string;
  readonly family?: string;
}

export function register(command: Command, bind: Bind): void {
  addCoinOption(addSurfaceOption(command))
    .requiredOption('--country <code>', 'two-letter country code, such as us')
    .option('--brand <name>', 'products of this brand')
    .option('--family <name>', 'products of this family, such as "Mobile Recharge"')
    .action((options: CatalogOptions) => bind((context) => run(context, options)));
  addExamples(command, [
    'catalog --country us --brand "Amazon.com"',
    'catalog --country us --brand "Amazon.com" --coin BTC',
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
  const records = await inPlace(context, options, (code) => listProducts(context, code, options));
  if (records.length === 0 && family !== undefined) {
    throw await familyError(context, country.trim().toLowerCase(), options);
  }
  if (records.length === 0 && brand !== undefined) {
    // Hosts in the wild answer an unknown brand with an empty list.
    await inPlace(context, options, async () => {
      throw new ScripError('BRAND_UNKNOWN', `no brand "${brand}" is sold in ${country}`);
    });
  }
  return listView({
    records,
    columns: [
      { header: 'PRODUCT ID', cell: (item) => item.product_id, isWhole: true },
      { header: 'BRAND', cell: (item) => item.brand_name },
      { header: 'VALUE', cell: describeValue },
      { header: 'PRICE USDC', cell: (item) => item.price_usdc, align: 'right' },
    ],
    empty: `Nothing of the family "${family ?? ''}" is sold there.`,
    ...(records.some((item) => item.is_range)
      ? { note: 'A variable price is quoted for a value: scrip price <product id> … --value <n>' }
      : {}),
  });
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
