/** Lists of brands and of products, for any merchant: options that filter and sort them, and their tables. */

import { type Command, Option } from 'commander';
import type { ListedBrand, ListedProduct } from '../../api/catalog-reader.ts';
import { readCountries, readCountry } from '../../api/in-country.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import { commandText, ownText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { DEFAULT_COIN } from '../../domain/payment/payment-means.ts';
import { CATEGORIES } from '../../domain/product/categories.ts';
import { countryCode } from '../../domain/product/country.ts';
import {
  type Facets,
  type Listing,
  listed,
  SORTS,
  type Sort,
} from '../../domain/product/listing.ts';
import { PRODUCT_KINDS, type ProductKind } from '../../domain/product/product.ts';
import type { Learned, RememberedProduct } from '../completion/remembered.ts';
import type { Column, Note } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

export interface ListingFlags {
  readonly kind?: ProductKind;
  readonly min?: string;
  readonly max?: string;
  readonly sort?: Sort;
  readonly reverse?: boolean;
  readonly limit?: string;
}

/** Declares the options. @param sorts the orders that this list supports */
export function addListingOptions(command: Command, sorts: readonly Sort[] = SORTS): Command {
  return command
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(PRODUCT_KINDS))
    .option('--min <value>', 'only with a face value of at least this, in the country’s currency')
    .option('--max <value>', 'only with a face value of at most this')
    .addOption(new Option('--sort <order>', 'sort by').choices(sorts))
    .option('--reverse', 'reverse order')
    .option('--limit <n>', 'only this many, from the start');
}

/** Parses the options. @throws {ScripError} AMOUNT_INVALID, INPUT_INVALID */
function listingOf({ kind, sort, reverse: isReversed, ...typed }: ListingFlags): Listing {
  const [min, max] = [typed.min, typed.max].map((text) =>
    text === undefined ? undefined : parseDecimal(text, FACE_DECIMALS),
  );
  if (min !== undefined && max !== undefined && min > max) {
    const message = t`--min ${typed.min ?? ''} is more than --max ${typed.max ?? ''}`;
    throw new ScripError('INPUT_INVALID', message);
  }
  const limit = typed.limit === undefined ? undefined : limitOf(typed.limit);
  return { kind, sort, min, max, limit, isReversed };
}

function limitOf(text: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw new ScripError('INPUT_INVALID', t`--limit "${text}" is not a whole number of at least 1`);
}

/** Returns the records to show, and a note if --limit hides some. */
export function choose<T extends { facets(): Facets }>(
  records: readonly T[],
  flags: ListingFlags,
): { readonly records: readonly T[]; readonly cut: Message | undefined } {
  const { records: shown, total } = listed(records, (record) => record.facets(), listingOf(flags));
  const cut =
    shown.length < total
      ? t`${shown.length} of ${total} shown; leave --limit out for all.`
      : undefined;
  return { records: shown, cut };
}

/** Filters of a list as typed, by what to leave out for all. */
type TypedFilters = Readonly<Record<string, string | undefined>>;

/** The filters that lists of brands and of products share. */
export function typedFilters({ kind, min, max }: ListingFlags): TypedFilters {
  return { '--kind': kind, '--min': min, '--max': max };
}

/** What an empty list says: which of the typed filters to leave out. */
export function nothingListed(
  { unmatched, unsold }: { readonly unmatched: Message; readonly unsold: Message },
  filters: TypedFilters,
): Message {
  const typed = Object.keys(filters).filter((name) => filters[name] !== undefined);
  return typed.length === 0 ? unsold : t`${unmatched} Leave ${typed.join(', ')} out for all.`;
}

/** Returns the records with a similar name, best match first; all of them without a text. */
export async function ofName<T extends { readonly name: string }>(
  records: readonly T[],
  text: string | undefined,
): Promise<readonly T[]> {
  if (text === undefined) return records;
  const { searchBrands } = await import('../../domain/product/catalog-query.ts');
  return searchBrands(records, text);
}

/** Returns the brands of a category. @throws {ScripError} INPUT_INVALID for an unknown category */
export async function ofCategory<B extends { readonly category: string }>(
  brands: readonly B[],
  slug: string | undefined,
): Promise<readonly B[]> {
  if (slug === undefined) return brands;
  const { inCategory, nearest } = await import('../../domain/product/catalog-query.ts');
  const found = inCategory(brands, slug);
  if (found.length > 0) return found;
  const known = [...new Set([...CATEGORIES, ...brands.map(({ category }) => category)])];
  if (known.includes(slug)) return [];
  const near = nearest(known, slug, 3);
  throw new ScripError('INPUT_INVALID', t`There is no category "${slug}"`, {
    details: { category: slug, nearest: near, categories: known },
    hint: commandText`${ownText(near.length > 0 ? commandText`Did you mean ${wordList(near, t` or `)}? ` : '')}Categories: ${wordList(known)}.`,
  });
}

/** Returns the columns. @param currency of MIN and MAX; undefined if unknown */
export function brandColumns(
  brands: readonly ListedBrand[],
  currency: string | undefined,
): readonly Column<ListedBrand>[] {
  const tellsStock = brands.some(({ isOutOfStock }) => isOutOfStock !== undefined);
  return [
    { header: t`BRAND`, cell: ({ name }) => name, isWhole: true },
    { header: t`FAMILY`, cell: ({ family }) => family, dropOrder: 1 },
    { header: t`CATEGORY`, cell: ({ category }) => category, dropOrder: 2 },
    {
      header: currency === undefined ? t`MIN` : t`MIN ${currency}`,
      cell: ({ min }) => min ?? '',
      align: 'right',
      isWhole: true,
    },
    {
      header: currency === undefined ? t`MAX` : t`MAX ${currency}`,
      cell: ({ max }) => max ?? '',
      align: 'right',
      isWhole: true,
    },
    ...(tellsStock ? [IN_STOCK] : []),
  ];
}

const IN_STOCK: Column<ListedBrand> = {
  header: t`IN STOCK`,
  cell: ({ isOutOfStock }) => (isOutOfStock ? t`no` : t`yes`),
  dropOrder: 3,
};

/** Brands to save for completion: every brand of the country, including those not shown. */
export function learnedOf(
  typed: string,
  brands: readonly Pick<ListedBrand, 'name' | 'family'>[],
): Learned {
  const country = countryCode(typed) ?? typed.trim().toLowerCase();
  return {
    brands: { [country]: brands.map(({ name }) => name) },
    families: { [country]: brands.map(({ family }) => family) },
  };
}

/**
 * Returns the currency of a country, for a table's headers. Undefined if the output has no headers or the
 * host does not say; never throws for a missing currency.
 * @param country as typed
 */
export async function headerCurrency(
  context: ScripContext,
  country: string,
): Promise<string | undefined> {
  const { output } = context.settings;
  const isTable =
    context.io.stdout.isTerminal && output.format === 'text' && output.fields === undefined;
  if (!isTable) return undefined;
  const deps = scripDeps(context);
  const read = async () => {
    const code = await readCountry(deps, country);
    return (await readCountries(deps)).countries.find((one) => one.code === code)?.currency;
  };
  return read().catch(unlessInterrupted(() => undefined));
}

/** Returns the columns. @param coin of the prices @param told how a price is written */
export function productColumns(
  coin: string = DEFAULT_COIN,
  told: (price: string, coin: string) => string = (price) => price,
): readonly Column<ListedProduct>[] {
  return [
    // Brand and value identify a product; at 80 columns the id fits too.
    { header: t`PRODUCT ID`, cell: ({ id }) => id, isWhole: true, dropOrder: 1 },
    { header: t`BRAND`, cell: ({ brand }) => brand, dropOrder: 2, usefulWidth: 12 },
    { header: t`VALUE`, cell: ({ valueText }) => valueText, usefulWidth: 16 },
    {
      header: t`PRICE ${coin}`,
      cell: ({ price }) => (price === undefined ? 'variable' : told(price, coin)),
      align: 'right',
      isWhole: true,
    },
  ];
}

/** Returns what completion remembers of a product. @param typed the country, as typed */
export function rememberedOf(
  { id, brand, valueText }: ListedProduct,
  typed: string,
): RememberedProduct {
  const country = countryCode(typed) ?? typed.trim().toLowerCase();
  return { id, brand, country, label: String(valueText) };
}

export const NO_PRODUCT = {
  unmatched: t`No product matches.`,
  unsold: t`No product is listed there.`,
};

/** Returns the remarks that apply. */
export function noteOf(...remarks: readonly (Message | undefined)[]): {
  readonly note?: Note;
} {
  const note = remarks.filter((remark) => remark !== undefined);
  return note.length === 0 ? {} : { note };
}
