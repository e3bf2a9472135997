/** `scrip brands`: who sells in a country. */

import type { Command } from 'commander';
import { countryError, inCountry, listBrands } from '../../api/in-country.ts';
import type { WireBrand } from '../../contract/checkout.ts';
import { t } from '../../domain/message.ts';
import { boundsColumns, headerCurrency } from '../browsing/bounds.ts';
import {
  addListingOptions,
  choose,
  kindOf,
  type ListingFlags,
  ofCategory,
  ofName,
  valuesOf,
} from '../browsing/listing.ts';
import { streamedAs, writeRows, written } from '../browsing/row-stream.ts';
import type { Bind } from '../command.ts';
import type { Learned } from '../completion/remembered.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { RowFormatName } from '../output/row-text.ts';
import { listView, type View } from '../output/view.ts';
import { addSurfaceOption, isPartner, type SurfaceFlags } from '../parsing/surface.ts';
import { scripDeps } from '../scrip-deps.ts';

interface BrandsOptions extends SurfaceFlags, ListingFlags {
  readonly country: string;
  readonly search?: string;
  readonly category?: string;
}

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addSurfaceOption(command)
      .requiredOption('--country <code>', 'two-letter country code, such as us')
      .option('--search <text>', 'brands whose name is like this')
      .option('--category <slug>', 'brands of this category, such as games'),
  ).action((options: BrandsOptions) => bind((context) => run(context, options)));
  addExamples(command, [
    'brands --country us',
    'brands --country us --search amazon',
    'brands --country us --kind esim --max 20 --sort min --limit 10',
    'brands --country br --category mobile_credits --json',
  ]);
}

async function run(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'system'>,
  options: BrandsOptions,
): Promise<View> {
  if (isPartner(options)) {
    const { partnerBrands } = await import('../browsing/partner-lists.ts');
    return partnerBrands(context, options);
  }
  const { search: typed, category } = options;
  const format =
    typed === undefined && category === undefined ? streamedAs(context, options) : undefined;
  if (format !== undefined) return streamBrands(context, options, format);
  const [brands, currency] = await Promise.all([
    inCountry(scripDeps(context), options, (code) => listBrands(scripDeps(context), code)),
    headerCurrency(context, options.country),
  ]);
  // Hosts in the wild answer an unknown country with an empty list.
  if (brands.length === 0) throw await countryError(scripDeps(context), options.country);
  const inCategory = await ofCategory(brands, category);
  const found = await ofName(inCategory, ({ brand_name }) => brand_name, typed);
  const { records, cut } = choose(found, facetsOf, options);
  return listView({
    records,
    learned: namesOf(options.country, brands),
    columns: [
      { header: t`BRAND`, cell: (brand) => brand.brand_name, isWhole: true },
      { header: t`FAMILY`, cell: (brand) => brand.family },
      { header: t`CATEGORY`, cell: (brand) => brand.category },
      ...boundsColumns<WireBrand>(currency),
    ],
    empty: t`No brand matches. Leave --search, --category, --kind, --min and --max out for all.`,
    ...(cut === undefined ? {} : { note: cut }),
  });
}

/** Every brand of the country, whatever was asked to be shown of them. */
function namesOf(
  typed: string,
  brands: readonly Pick<WireBrand, 'brand_name' | 'family'>[],
): Learned {
  const country = typed.trim().toLowerCase();
  return {
    brands: { country, names: brands.map(({ brand_name }) => brand_name) },
    families: { country, names: brands.map(({ family }) => family) },
  };
}

async function streamBrands(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'system'>,
  options: BrandsOptions,
  format: RowFormatName,
): Promise<View> {
  const { getBrands } = await import('../../contract/checkout.ts');
  const seen: Pick<WireBrand, 'brand_name' | 'family'>[] = [];
  const see = ({ brand_name, family }: WireBrand) => seen.push({ brand_name, family });
  const count = await inCountry(scripDeps(context), options, (code) => {
    const input = { country_code: code };
    return writeRows(context, { format, endpoint: getBrands, input, facetsOf, see }, options);
  });
  if (count === 0) throw await countryError(scripDeps(context), options.country);
  return written(namesOf(options.country, seen));
}

function facetsOf({ brand_name: name, category, min, max }: WireBrand) {
  return { name, category, kind: kindOf(category), values: valuesOf(min, max) };
}
