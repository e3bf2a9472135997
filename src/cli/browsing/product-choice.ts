/**
 * The product that words mean: what is certain is taken, the rest is chosen from a list with prices or
 * refused with the lines to choose from. What comes of it is an id: words never buy anything.
 */

import type { CatalogReader, ListedBrand, ListedProduct } from '../../api/catalog-reader.ts';
import { findProducts } from '../../api/find.ts';
import { readCountry } from '../../api/in-country.ts';
import { type MerchantName, openCatalog } from '../../api/merchants.ts';
import { nearest } from '../../domain/catalog-query.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, type Said, t } from '../../domain/message.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { formatFaceValue } from '../../domain/product.ts';
import { type Match, onlyMeant } from '../../domain/product-match.ts';
import { padCents } from '../amount.ts';
import type { Localize } from '../i18n/localize.ts';
import { localSaid } from '../i18n/localize.ts';
import { fitText, textWidth } from '../output/width.ts';
import { isProductId } from '../parsing/product-words.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Choice, Narrowed } from '../terminal/ports.ts';

/** What somebody said of a product. */
export interface ProductWords {
  /** An id, a brand, or the name of a product. */
  readonly words: string;
  /** Face value as a decimal. */
  readonly value?: string | undefined;
  /** The value was not a part of the words: it is no end of a name. */
  readonly isValueApart?: boolean;
  /** As typed, in any case. */
  readonly country: string;
  /** Whose catalog is searched. */
  readonly merchant: MerchantName;
}

interface ChoiceOptions {
  /** Takes what is certain alone, and asks nobody. */
  readonly isCertain: boolean;
  /** The command line, without `scrip`, that means a product by its id. */
  readonly lineFor: (offer: OfferedProduct) => readonly string[];
  /** Lists that several choices share. */
  readonly catalog?: CatalogReader;
}

/** A product as it is offered for choice. */
export interface OfferedProduct {
  readonly product: ListedProduct;
  /** To be named with it: of a range that the value lies in. */
  readonly value: string | undefined;
  /** Decimal USDC at that value; undefined where it is not known. */
  readonly priceUsdc: string | undefined;
  /** As far as the merchant says it before a price is asked for. */
  readonly isOutOfStock: boolean;
}

/** Lists are made of so many, and errors name as many. */
const MOST_LISTED = 40;
const MOST_NAMED = 5;

/**
 * @throws {ScripError} PRODUCT_AMBIGUOUS, VALUE_OUT_OF_RANGE, BRAND_UNKNOWN, PRODUCT_UNKNOWN with
 * details.products where nobody is asked; AMOUNT_INVALID; INTERRUPTED; the codes of a call
 */
export async function chooseProduct(
  context: ScripContext,
  wanted: ProductWords,
  options: ChoiceOptions,
): Promise<OfferedProduct> {
  const deps = scripDeps(context);
  const country = await readCountry(deps, wanted.country);
  const catalog = options.catalog ?? remembering(await openCatalog(deps, wanted.merchant));
  const search: Search = (words) => findProducts(catalog, { ...words, country });
  const { meant, found } = await searchFor(wanted, search);
  const only = onlyMeant(found, { hasValue: meant.value !== undefined });
  if (only !== undefined) return offered(only, meant.value);
  const isUnsold = found.length === 0 && meant.value !== undefined;
  const products = isUnsold ? await search({ words: meant.words }) : found;
  const like = withoutRangesBeside(
    products.map(({ product }) => product),
    meant.value,
  );
  const asked = { ...meant, like, isUnsold, catalog };
  if (!options.isCertain) return pick(context, asked, search);
  throw await refusal({ ...asked, country }, options.lineFor);
}

/** A name may end in a number, as Forever 21 does: then that is no face value. */
async function searchFor(
  { words, value, isValueApart = false }: ProductWords,
  search: Search,
): Promise<{
  readonly meant: Pick<ProductWords, 'words' | 'value'>;
  readonly found: readonly Match<ListedProduct>[];
}> {
  const found = await search({ words, value });
  if (value === undefined || isValueApart || found.some(({ isExact }) => isExact)) {
    return { meant: { words, value }, found };
  }
  const whole = { words: `${words} ${value}` };
  const named = (await search(whole)).filter(({ isExact }) => isExact);
  return named.length > 0 ? { meant: whole, found: named } : { meant: { words, value }, found };
}

/** Where a brand has a product of exactly the value, its range is no other choice. */
function withoutRangesBeside(
  products: readonly ListedProduct[],
  value: string | undefined,
): readonly ListedProduct[] {
  if (value === undefined) return products;
  const fixed = new Set(products.flatMap(({ isRange, brand }) => (isRange ? [] : [brand])));
  return products.filter(({ isRange, brand }) => !isRange || !fixed.has(brand));
}

type Search = (
  wanted: Pick<ProductWords, 'words' | 'value'>,
) => Promise<readonly Match<ListedProduct>[]>;

/** Each list is asked for once, however often it is searched. */
export function remembering(catalog: CatalogReader): CatalogReader {
  const brands = keeping(catalog.brands, (country) => country);
  const products = keeping(catalog.products, (section) => JSON.stringify(section));
  return { ...catalog, brands, products };
}

/** What failed is asked again. */
function keeping<In, Out>(
  ask: (input: In) => Promise<Out>,
  keyOf: (input: In) => string,
): (input: In) => Promise<Out> {
  const known = new Map<string, Promise<Out>>();
  return (input) => {
    const key = keyOf(input);
    const asked = known.get(key) ?? ask(input);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    return asked;
  };
}

function offered(product: ListedProduct, value: string | undefined): OfferedProduct {
  const { isRange, price } = product;
  return {
    product,
    // A fixed product has its value without being told; some hosts take none for it.
    value: isRange && value !== undefined && isWithin(product, value) ? value : undefined,
    priceUsdc: price,
    isOutOfStock: false,
  };
}

function isWithin({ values }: ListedProduct, value: string): boolean {
  const at = parseDecimal(value, FACE_DECIMALS);
  return values !== undefined && values.min <= at && at <= values.max;
}

/** With the price of a range at its value, where the merchant names one. */
async function priced(
  catalog: CatalogReader,
  product: ListedProduct,
  value: string | undefined,
): Promise<OfferedProduct> {
  const { id: productId, countryCode: country, brand } = product;
  const brands = await catalog.brands(country);
  const isOutOfStock = brands.some((one) => one.name === brand && one.isOutOfStock === true);
  const offer = { ...offered(product, value), isOutOfStock };
  if (offer.value === undefined || offer.priceUsdc !== undefined) return offer;
  try {
    const { price } = await catalog.price({ productId, country, brand, value: offer.value });
    return { ...offer, priceUsdc: price };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { ...offer, isOutOfStock: isOutOfStock || error.code === 'OUT_OF_STOCK' };
  }
}

interface Meant extends Pick<ProductWords, 'words' | 'value'> {
  readonly like: readonly ListedProduct[];
  /** There is something under the words, and not at the value. */
  readonly isUnsold: boolean;
  readonly catalog: CatalogReader;
}

/** A list to choose from; what is typed searches anew. */
async function pick(context: ScripContext, meant: Meant, search: Search): Promise<OfferedProduct> {
  const { dialog, localize, progress, stderr } = context.io;
  const known = new Map<string, OfferedProduct>();
  const offersOf = (products: readonly ListedProduct[]): Promise<readonly OfferedProduct[]> =>
    Promise.all(
      products.slice(0, MOST_LISTED).map(async (product) => {
        const offer = known.get(product.id) ?? (await priced(meant.catalog, product, meant.value));
        known.set(product.id, offer);
        return offer;
      }),
    );
  const narrow = async (text: string): Promise<Narrowed> => {
    const typed = text.trim();
    const isFirst = typed === '' || /\d/.test(typed);
    const products = isFirst ? meant.like : await anew(typed);
    const offers = await offersOf(products);
    const choices = choicesOf(offers, stderr.columns, localize).filter(
      ({ label }) => typed === '' || !isFirst || label.includes(typed),
    );
    return { choices, remarks: remarksOf(meant, typed, choices.length).map(localize) };
  };
  const anew = async (words: string): Promise<readonly ListedProduct[]> => {
    const found = await search({ words, value: meant.value });
    return withoutRangesBeside(
      found.map(({ product }) => product),
      meant.value,
    );
  };
  progress.done();
  const question = {
    message: localize(t`Which one?`),
    help: localize(t`Type to search · ↑↓ move · Enter takes it`),
    narrow,
  };
  for (;;) {
    const offer = known.get(await dialog.pick(question));
    if (offer?.isOutOfStock === false) return offer;
    if (offer !== undefined) stderr.write(`${localize(t`This is out of stock.`)}\n`);
  }
}

function remarksOf(
  { words, value, isUnsold }: Meant,
  typed: string,
  count: number,
): readonly Message[] {
  const isNothing = typed === '' && words === '';
  if (count === 0 && isNothing) return [t`Type the name of a brand`];
  if (count === 0)
    return [t`Nothing is called "${typed === '' ? words : typed}": type another name`];
  return isUnsold && typed === '' ? [t`Not sold at ${value ?? ''}; this is:`] : [];
}

/** Name, face value and price, in columns; the name gives way where the terminal is narrow. */
function choicesOf(
  offers: readonly OfferedProduct[],
  columns: number,
  localize: Localize,
): readonly Choice[] {
  const rows = offers.map((offer) => ({
    id: offer.product.id,
    name: nameOf(offer),
    value: localSaid(valueText(offer), localize),
    price: offer.isOutOfStock ? localize(t`out of stock`) : priceText(offer),
  }));
  const widest = (of: 'name' | 'value' | 'price') =>
    Math.max(0, ...rows.map((row) => textWidth(row[of])));
  const [valueWidth, priceWidth] = [widest('value'), widest('price')];
  // The mark of the choice stands before it, and two columns between.
  const room = Math.max(MIN_NAME, columns - valueWidth - priceWidth - 8);
  const nameWidth = Math.min(widest('name'), room);
  return rows.map(({ id, name, value, price }) => ({
    value: id,
    label: [
      padEnd(fitText(name, nameWidth), nameWidth),
      padStart(value, valueWidth),
      padStart(price, priceWidth),
    ]
      .join('  ')
      .trimEnd(),
  }));
}

const MIN_NAME = 8;

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

function priceText({ priceUsdc }: OfferedProduct): string {
  return priceUsdc === undefined ? '' : `${padCents(priceUsdc)} USDC`;
}

/** Without the value, or the bounds, that it ends with. */
function nameOf({ product: { name, brand, values, currency = '' } }: OfferedProduct): string {
  if (values === undefined) return name;
  const [min, max] = [formatFaceValue(values.min), formatFaceValue(values.max)];
  const ends = [min, `${min}-${max}`].map((value) => `${value} ${currency}`.trim());
  const end = ends.find((text) => name.endsWith(text)) ?? '';
  const short = name.slice(0, name.length - end.length).replace(/[\s,]+$/, '');
  return short === '' ? brand : short;
}

/** The value that is bought, or the bounds that it is chosen within. */
function valueText({ product: { values, currency = '' }, value }: OfferedProduct): Said {
  if (value !== undefined) return `${value} ${currency}`.trim();
  if (values === undefined) return '';
  const [min, max] = [values.min, values.max].map((edge: Atomic) => formatFaceValue(edge));
  return min === max
    ? `${min} ${currency}`.trim()
    : t`${min ?? ''} to ${`${max} ${currency}`.trim()}`;
}

interface Refused extends Meant {
  /** By its code. */
  readonly country: string;
}

async function refusal(
  { words, value, like, isUnsold, catalog, country }: Refused,
  lineFor: ChoiceOptions['lineFor'],
): Promise<ScripError> {
  if (like.length === 0) return unknown(catalog, words, country);
  const named = await Promise.all(
    like.slice(0, MOST_NAMED).map((product) => priced(catalog, product, value)),
  );
  const said = [words, value].filter(Boolean).join(' ');
  const details = {
    words,
    value: value ?? null,
    country,
    products: named.map(recordOf),
  };
  // An id that looks like an option would be read as one.
  const pasted = named.filter(({ product }) => !product.id.startsWith('-'));
  const hint = joined(
    pasted.map((offer) => hintLine(offer, lineFor)),
    '\n',
  );
  if (isUnsold) {
    const what = t`"${words}" is not sold at ${value ?? ''} in ${country}`;
    return new ScripError('VALUE_OUT_OF_RANGE', what, { details, hint });
  }
  const what =
    like.length === 1
      ? t`"${said}" is not the exact name of a product; one is like it`
      : t`"${said}" means ${like.length} products`;
  return new ScripError('PRODUCT_AMBIGUOUS', what, { details, hint });
}

/** A command that names one product by its id; a range without a value at its least one. */
export function lineOf(
  verb: string,
  { product: { id, isRange, values }, value }: OfferedProduct,
  options: readonly string[],
): readonly string[] {
  const least = isRange && values !== undefined ? formatFaceValue(values.min) : undefined;
  const at = value ?? least;
  return [verb, id, ...(at === undefined ? [] : [at]), ...options];
}

/** The name is quoted as the values are: what stands after it is run as it stands. */
function hintLine(offer: OfferedProduct, lineFor: ChoiceOptions['lineFor']): Message {
  const name = `${nameOf(offer)} ${String(valueText(offer))}`.trim();
  return commandText`${name}: ${wordList(['scrip', ...lineFor(offer)], ' ')}`;
}

function recordOf({ product, value, priceUsdc, isOutOfStock }: OfferedProduct) {
  const { id, name, brand, values, currency } = product;
  const [min, max] = [values?.min, values?.max].map((edge) =>
    edge === undefined ? null : formatFaceValue(edge),
  );
  return {
    product_id: id,
    name,
    brand,
    face_value: value ?? (min === max ? (min ?? null) : null),
    ...(min === max ? {} : { min_value: min, max_value: max }),
    currency: currency ?? null,
    price_usdc: priceUsdc ?? null,
    is_out_of_stock: isOutOfStock,
  };
}

async function unknown(
  catalog: CatalogReader,
  words: string,
  country: string,
): Promise<ScripError> {
  return nothingCalled(await catalog.brands(country), words, country);
}

/** Nothing is like the words: an id that is not sold there, or no name at all. @param country its code */
export function nothingCalled(
  brands: readonly Pick<ListedBrand, 'name'>[],
  words: string,
  country: string,
): ScripError {
  const names = brands.map(({ name }) => name);
  const near = nearest(names, words, MOST_NAMED);
  const details = { words, country, nearest: near, products: [] };
  const isId = isProductId(words);
  if (isId) {
    return new ScripError('PRODUCT_UNKNOWN', t`No product "${words}" is sold in ${country}`, {
      details,
      hint: t`Name the country that it was listed for with --country.`,
    });
  }
  return new ScripError('BRAND_UNKNOWN', t`Nothing in ${country} is called "${words}"`, {
    details,
    hint: commandText`Look for it: scrip brands --country ${country} --search ${words}`,
  });
}
