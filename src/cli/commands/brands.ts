/** `scrip brands`: the brands sold in a country. */

import type { Command } from 'commander';
import { openCatalog } from '../../api/merchants.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { countryFor } from '../browsing/country.ts';
import {
  addListingOptions,
  brandColumns,
  choose,
  headerCurrency,
  type ListingFlags,
  learnedOf,
  nothingListed,
  ofCategory,
  ofName,
  typedFilters,
} from '../browsing/listing.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { documentsView, type View } from '../output/view.ts';
import { COUNTRY_OPTIONS, merchantMeant, SURFACE_OPTIONS } from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...SURFACE_OPTIONS,
  ...COUNTRY_OPTIONS,
  '--search <text>': 'only brands with a similar name',
  '--category <slug>': 'only brands of this category, such as games',
} as const;

type BrandsOptions = ListingFlags & FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addOptions(command, OPTIONS).argument(
      '[name...]',
      'part of a name, like --search; typing errors are tolerated',
    ),
  ).action((words: readonly string[], options: BrandsOptions) => {
    const typed = words.length === 0 ? undefined : words.join(' ');
    if (typed !== undefined && options.search !== undefined) {
      throw new ScripError(
        'USAGE',
        t`Use either "${typed}" or --search "${options.search}", not both`,
        {
          hint: t`Name one of them.`,
        },
      );
    }
    const search = typed ?? options.search;
    const named = typed === undefined ? '--search' : `"${typed}"`;
    return bind((context) => run(context, { ...options, ...(search && { search }), named }));
  });
  addExamples(command, [
    'brands --country us',
    'brands amazon --country us',
    'brands --country us --kind esim --max 20 --sort min --limit 10',
    'brands --country br --category mobile_credits --json',
  ]);
}

const NO_BRAND = { unmatched: t`No brand matches.`, unsold: t`No brand is listed there.` };

async function run(
  context: BuyerContext,
  options: BrandsOptions & { readonly named: string },
): Promise<View> {
  const { search, category, named } = options;
  const country = await countryFor(context, options.country);
  const catalog = await openCatalog(scripDeps(context), merchantMeant(options));
  const [brands, currency] = await Promise.all([
    catalog.brands(country),
    headerCurrency(context, country),
  ]);
  const inCategory = await ofCategory(brands, category);
  const found = await ofName(inCategory, search);
  const { records: rows, cut } = choose(found, options);
  return documentsView({
    rows,
    learned: learnedOf(country, brands),
    columns: brandColumns(rows, currency),
    empty: nothingListed(NO_BRAND, {
      [named]: search,
      '--category': category,
      ...typedFilters(options),
    }),
    ...(cut === undefined ? {} : { note: cut }),
  });
}
