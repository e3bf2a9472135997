/**
 * Finds the product that the user's words mean. A single match is used; otherwise the user chooses from a
 * list with prices, or gets an error with commands to choose from. Every order is placed by product id, never
 * by words.
 */

import type { CatalogReader, ListedProduct, PriceQuestion } from '../../api/catalog-reader.ts';
import { findProducts } from '../../api/find.ts';
import { readCountry } from '../../api/in-country.ts';
import { type MerchantName, openCatalog } from '../../api/merchants.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { type Match, onlyMeant } from '../../domain/product/product-match.ts';
import { type Localize, localSaid } from '../i18n/localize.ts';
import { fitText, textWidth } from '../output/wrap.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Choice, Narrowed } from '../terminal/ports.ts';
import {
  type LineFor,
  lineOf,
  nameOf,
  type OfferedProduct,
  offered,
  priced,
  type Unclear,
  unclearProduct,
  valueText,
} from './offered-product.ts';

/** The words that name a product. */
export interface ProductWords {
  /** An id, a brand, or the name of a product. */
  readonly words: string;
  /** Face value as a decimal. */
  readonly value?: string | undefined;
  /** Whether the value was given by --value, so that it cannot be part of the name. */
  readonly isValueApart?: boolean;
  /** As typed, in any case. */
  readonly country: string;
  /** Whose catalog is searched. */
  readonly merchant: MerchantName;
}

interface ChoiceOptions {
  /** Accepts only an unambiguous match, without asking. */
  readonly isCertain: boolean;
  readonly lineFor: LineFor;
  /** Lists that several searches share. */
  readonly catalog?: CatalogReader;
}

/** Maximum number of products in a list. */
const MOST_LISTED = 40;

/**
 * Returns the product, after asking if needed.
 * @throws {ScripError} PRODUCT_AMBIGUOUS, VALUE_OUT_OF_RANGE, BRAND_UNKNOWN, PRODUCT_UNKNOWN with
 * details.products in non-interactive use; AMOUNT_INVALID; INTERRUPTED; the codes of a call
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
  const products = (isUnsold ? await search({ words: meant.words }) : found).map(
    ({ product }) => product,
  );
  const like = isUnsold ? rangesFirst(products) : withoutRangesBeside(products, meant.value);
  const asked = { ...meant, like, isUnsold, catalog, country };
  if (!options.isCertain) {
    return (await onlyCandidate(context, asked)) ?? pick(context, asked, search);
  }
  throw await unclearProduct(asked, options.lineFor);
}

/**
 * Returns the product that a command's words mean.
 * @param verb the command, followed by its other options as typed, for hints that name one product
 */
export function productMeant(
  context: ScripContext,
  wanted: ProductWords,
  [verb, ...options]: readonly [verb: string, ...options: string[]],
): Promise<OfferedProduct> {
  return chooseProduct(context, wanted, {
    isCertain: !context.settings.mayPrompt,
    lineFor: (offer) => lineOf(verb, offer, options),
  });
}

/**
 * Returns the question of a product's price. With a brand, the words are a product id.
 * @param command as for `productMeant`
 */
export async function priceQuestion(
  context: ScripContext,
  { brand, ...wanted }: ProductWords & { readonly brand?: string | undefined },
  command: readonly [verb: string, ...options: string[]],
): Promise<PriceQuestion> {
  const { words: productId, value, country } = wanted;
  if (brand !== undefined) return { productId, country, brand, value };
  const meant = await productMeant(context, wanted, command);
  const { id, countryCode, brand: sold } = meant.product;
  return { productId: id, country: countryCode, brand: sold, value: meant.value };
}

/** Some names end in a number, such as Forever 21: then it is not a face value. */
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

/** If a brand has a fixed product of this value, leaves out the brand's ranges. */
function withoutRangesBeside(
  products: readonly ListedProduct[],
  value: string | undefined,
): readonly ListedProduct[] {
  if (value === undefined) return products;
  const fixed = new Set(products.flatMap(({ isRange, brand }) => (isRange ? [] : [brand])));
  return products.filter(({ isRange, brand }) => !isRange || !fixed.has(brand));
}

/** Ranges first: their bounds explain why a value is not sold. */
function rangesFirst(products: readonly ListedProduct[]): readonly ListedProduct[] {
  return [
    ...products.filter(({ isRange }) => isRange),
    ...products.filter(({ isRange }) => !isRange),
  ];
}

type Search = (
  wanted: Pick<ProductWords, 'words' | 'value'>,
) => Promise<readonly Match<ListedProduct>[]>;

/** Requests each list only once, however often it is searched; a failed request is made again. */
export function remembering(catalog: CatalogReader): CatalogReader {
  const once = createMemo({ isRetried: true });
  return {
    ...catalog,
    brands: (country) => once(`brands ${country}`, () => catalog.brands(country)),
    products: (section) => once(JSON.stringify(section), () => catalog.products(section)),
  };
}

/** Keeps the first result of each key. @param isRetried whether a failure is forgotten */
export function createMemo({ isRetried = false } = {}) {
  const known = new Map<string, Promise<unknown>>();
  return <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    // Safe: each key has one caller, and so one type.
    const asked = (known.get(key) as Promise<T> | undefined) ?? ask();
    known.set(key, asked);
    if (isRetried) asked.catch(() => known.delete(key));
    return asked;
  };
}

/** Asks about the only product that is similar; undefined if there is none such, or the user means another. */
async function onlyCandidate(
  { io: { progress, prompter } }: ScripContext,
  { like, value, isUnsold, catalog }: Unclear,
): Promise<OfferedProduct | undefined> {
  const [product, ...others] = like;
  if (product === undefined || others.length > 0 || isUnsold) return undefined;
  const offer = await priced(catalog, product, value);
  if (offer.isOutOfStock) return undefined;
  progress.done();
  // The summary that follows shows what it costs, and asks before anything is paid.
  const isMeant = await prompter.confirm(t`Did you mean ${nameOf(offer)}?`, { isYesUsual: true });
  return isMeant ? offer : undefined;
}

/** Shows a list to choose from; typing searches again. */
async function pick(
  context: ScripContext,
  meant: Unclear,
  search: Search,
): Promise<OfferedProduct> {
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
      ({ label }) => typed === '' || !isFirst || label.toLowerCase().includes(typed.toLowerCase()),
    );
    return { choices, remarks: remarksOf(meant, typed, choices.length).map(localize) };
  };
  const anew = async (words: string): Promise<readonly ListedProduct[]> => {
    const found = await search({ words, value: meant.isUnsold ? undefined : meant.value });
    return withoutRangesBeside(
      found.map(({ product }) => product),
      meant.value,
    );
  };
  progress.done();
  const question = {
    message: localize(meant.words === '' ? t`Which product?` : t`Which one?`),
    help: localize(t`Type to search · ↑↓ move · Enter selects`),
    narrow,
    takes: async () => false,
  };
  for (;;) {
    const offer = known.get(await dialog.pick(question));
    if (offer?.isOutOfStock === false) return offer;
    if (offer !== undefined) stderr.write(`${localize(t`This is out of stock.`)}\n`);
  }
}

function remarksOf(
  { words, value, isUnsold }: Unclear,
  typed: string,
  count: number,
): readonly Message[] {
  const isNothing = typed === '' && words === '';
  if (count === 0 && isNothing) return [t`Type the name of a brand`];
  if (count === 0) return [t`No match for "${typed === '' ? words : typed}": type another name`];
  return isUnsold && typed === '' ? [t`Not sold at ${value ?? ''}; this is:`] : [];
}

/** Name, face value and price in columns; on a narrow terminal the name is shortened. */
function choicesOf(
  offers: readonly OfferedProduct[],
  columns: number,
  localize: Localize,
): readonly Choice[] {
  const rows = offers.map((offer) => ({
    id: offer.product.id,
    name: nameOf(offer),
    value: localSaid(valueText(offer), localize),
    price: offer.isOutOfStock ? localize(t`out of stock`) : offeredFor(offer),
  }));
  const widest = (of: 'name' | 'value' | 'price') =>
    Math.max(0, ...rows.map((row) => textWidth(row[of])));
  const [valueWidth, priceWidth] = [widest('value'), widest('price')];
  // Room for the selection mark, and two columns between cells.
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

function offeredFor({ priceUsdc }: OfferedProduct): string {
  return priceUsdc === undefined ? '' : `${priceText(priceUsdc, 'USDC')} USDC`;
}
