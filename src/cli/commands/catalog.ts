/** `scrip catalog`: the products of a brand or a family. */

import type { Command } from 'commander';
import type { CatalogReader, ListedProduct } from '../../api/catalog-reader.ts';
import { soldIn } from '../../api/find.ts';
import { openCatalog } from '../../api/merchants.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { countryFor } from '../browsing/country.ts';
import {
  addListingOptions,
  choose,
  type ListingFlags,
  NO_PRODUCT,
  noteOf,
  nothingListed,
  ofName,
  productColumns,
  rememberedOf,
  typedFilters,
} from '../browsing/listing.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { wantedLanguage } from '../i18n/localize.ts';
import { documentsView, type View } from '../output/view.ts';
import {
  COIN_OPTIONS,
  COUNTRY_OPTIONS,
  merchantMeant,
  SURFACE_OPTIONS,
  surfaceWords,
} from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...SURFACE_OPTIONS,
  ...COUNTRY_OPTIONS,
  ...COIN_OPTIONS,
  '--brand <name>': 'only products of the brand with exactly this name',
  '--family <name>': 'only products of this family, such as "Mobile Recharge"',
  '--search <text>': 'only products with a similar name',
} as const;

type CatalogOptions = ListingFlags & FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addOptions(command, OPTIONS).argument(
      '[brand...]',
      'part of the brand’s name; an exact name selects that brand alone',
    ),
    // Products have no category to sort by.
    ['name', 'min', 'max'],
  ).action((words: readonly string[], options: CatalogOptions) =>
    bind((context) => run(context, words.join(' '), options)),
  );
  addExamples(command, [
    'catalog amazon --country us',
    'catalog amazon --country us --coin BTC',
    'catalog --country us --brand "Steam" --min 20 --max 50 --sort min',
    'catalog --country us --family "Gift Cards" --search "xbox" --max 25',
    'catalog --country br --family "Mobile Recharge" --json',
  ]);
}

async function run(context: BuyerContext, words: string, options: CatalogOptions): Promise<View> {
  const { family, coin, search } = options;
  checkNamed(words, options);
  const country = await countryFor(context, options.country);
  const catalog = await openCatalog(scripDeps(context), merchantMeant(options));
  const named = words === '' ? undefined : await brandsCalled(catalog, words, country);
  const [brand = options.brand, ...others] = named ?? [];
  const language = wantedLanguage(context.settings);
  const section = { country, brand, family, coin, language };
  const sections = (named ?? [brand]).map((name) => ({ ...section, brand: name }));
  const found = (
    await Promise.all(
      sections.map((one) => (others.length > 0 ? soldIn(catalog, one) : catalog.products(one))),
    )
  ).flat();
  const { records: rows, cut } = choose(await ofName(found, search), options);
  return documentsView({
    rows,
    learned: { products: found.map((product) => rememberedOf(product, country)) },
    columns: productColumns(rows[0]?.coin ?? coin, await pricesFor(context)),
    empty: nothingListed(NO_PRODUCT, { '--search': search, ...typedFilters(options) }),
    ...noteOf(cut, quotedRemark(rows, options)),
  });
}

/** How prices are written; loaded here, since `brands` shares its code with this command. */
async function pricesFor(context: With<'io' | 'settings'>) {
  const { isRead } = await import('../orders/columns.ts');
  if (!isRead(context)) return undefined;
  return (await import('../../domain/money/shown-amount.ts')).priceText;
}

/** Checks that exactly one of brand and family is named. @throws {ScripError} USAGE */
function checkNamed(words: string, { brand, family }: CatalogOptions): void {
  const twice = { '--brand': brand, '--family': family };
  const other = Object.entries(twice).find(([, value]) => value !== undefined);
  if (words === '' && other === undefined) {
    throw new ScripError('USAGE', t`Name a brand or a family: the whole catalog is too large`, {
      hint: t`Such as: scrip catalog amazon, or: scrip catalog --family <name>; scrip brands lists both.`,
    });
  }
  if (words === '' || other === undefined) return;
  throw new ScripError('USAGE', t`"${words}" already names the brand; leave ${other[0]} out`, {
    hint: t`Name one of them.`,
  });
}

/**
 * Returns the exact names of the brands that the words mean.
 * @throws {ScripError} BRAND_UNKNOWN with details.nearest
 */
async function brandsCalled(
  catalog: CatalogReader,
  words: string,
  country: string,
): Promise<readonly string[]> {
  const { brandsMeant } = await import('../../domain/product/product-match.ts');
  const brands = await catalog.brands(country);
  const meant = brandsMeant(brands, words);
  if (meant.length > MOST_BRANDS) throw tooMany(words, country, meant.length);
  if (meant.length > 0) return meant.map(({ name }) => name);
  const { nothingCalled } = await import('../browsing/offered-product.ts');
  throw nothingCalled(brands, words, country);
}

/** Ours: each brand is one request to the merchant. */
const MOST_BRANDS = 20;

function tooMany(words: string, country: string, count: number): ScripError {
  return new ScripError('INPUT_INVALID', t`"${words}" matches ${count} brands`, {
    details: { words, country, brands: count },
    hint: commandText`Give a longer name. See the matches: scrip brands ${words} --country ${country}`,
  });
}

/** A note with the command that prices the list's first range. */
function quotedRemark(
  rows: readonly ListedProduct[],
  options: CatalogOptions,
): Message | undefined {
  const range = rows.find(({ isRange }) => isRange);
  if (range === undefined) return undefined;
  const { country } = options;
  const place = [
    ...(country === undefined ? [] : ['--country', country]),
    ...surfaceWords(options),
  ];
  return commandText`This product’s price depends on the value: scrip price ${wordList([range.id, ...place], ' ')} --value <n>`;
}
