/** A product as the user can choose it: at a value, with its price. */

import type { CatalogReader, ListedBrand, ListedProduct } from '../../api/catalog-reader.ts';
import { type MerchantName, openCatalog } from '../../api/merchants.ts';
import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, type Said, t } from '../../domain/message/message.ts';
import { type Atomic, atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { nearest } from '../../domain/product/catalog-query.ts';
import { formatFaceValue } from '../../domain/product/product.ts';
import { isProductId } from '../parsing/order-options.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

export interface OfferedProduct {
  readonly product: ListedProduct;
  /** The value to order it at; only for a range that includes the value. */
  readonly value: string | undefined;
  /** Decimal USDC at that value; undefined if not known. */
  readonly priceUsdc: string | undefined;
  /** What the merchant's list says, before a price is requested. */
  readonly isOutOfStock: boolean;
}

export function offered(product: ListedProduct, value: string | undefined): OfferedProduct {
  const { isRange, price } = product;
  return {
    product,
    // A fixed product needs no value, and some hosts refuse one.
    value: isRange && value !== undefined && isWithin(product, value) ? value : undefined,
    priceUsdc: price,
    isOutOfStock: false,
  };
}

function isWithin({ values }: ListedProduct, value: string): boolean {
  const at = parseDecimal(value, FACE_DECIMALS);
  return values !== undefined && values.min <= at && at <= values.max;
}

/** Adds the price at the value, if the merchant tells one. */
export async function priced(
  catalog: CatalogReader,
  product: ListedProduct,
  value: string | undefined,
): Promise<OfferedProduct> {
  const { id: productId, countryCode: country, brand } = product;
  const brands = await catalog.brands(country);
  const isOutOfStock = brands.some((one) => one.name === brand && one.isOutOfStock === true);
  const offer = { ...offered(product, value), isOutOfStock };
  if (offer.value === undefined || offer.priceUsdc !== undefined) return offer;
  return catalog.price({ productId, country, brand, value: offer.value }).then(
    ({ price }) => ({ ...offer, priceUsdc: price }),
    unlessInterrupted(({ code }) => ({
      ...{ ...offer, isOutOfStock: isOutOfStock || code === 'OUT_OF_STOCK' },
    })),
  );
}

/** Returns the name without the value, plan or range that it ends with. */
export function nameOf({ product }: OfferedProduct): string {
  const { name, brand, values, currency = '' } = product;
  const [min, max] = [values?.min, values?.max].map((edge) =>
    edge === undefined ? '' : formatFaceValue(edge),
  );
  const money = [min, `${min}-${max}`].map((value) => `${value} ${currency}`.trim());
  const ends = [String(product.valueText), ...(values === undefined ? [] : money)];
  const end = ends.find((text) => text !== '' && name.endsWith(text)) ?? '';
  const short = name.slice(0, name.length - end.length).replace(/[\s,]+$/, '');
  return short === '' ? brand : short;
}

/** Returns the value or plan, or the range to choose from. */
export function valueText({ product, value }: OfferedProduct): Said {
  const { isRange, values, currency = '' } = product;
  if (value !== undefined) return `${value} ${currency}`.trim();
  if (!isRange || values === undefined) {
    const label = String(product.valueText);
    return /^\d[\d.,]*$/.test(label) ? `${label} ${currency}`.trim() : product.valueText;
  }
  const [min, max] = [values.min, values.max].map((edge: Atomic) => formatFaceValue(edge));
  return t`${min ?? ''} to ${`${max} ${currency}`.trim()}`;
}

// Errors for words that do not mean one product: similar products, and the commands that name them.

/** The words that may mean several products, or none. */
export interface Unclear {
  readonly words: string;
  readonly value?: string | undefined;
  /** Products that may be meant. */
  readonly like: readonly ListedProduct[];
  /** The words match products, but none at this value. */
  readonly isUnsold: boolean;
  readonly catalog: CatalogReader;
  /** The country's code. */
  readonly country: string;
}

/** Returns the command line, without `scrip`, that names a product by its id. */
export type LineFor = (offer: OfferedProduct) => readonly string[];

/** Maximum number of products in an error: a brand's usual fixed values and its range. */
const MOST_NAMED = 10;
/** Maximum number of similar brands in an error. */
const MOST_NEAREST = 5;

/** Returns the error for non-interactive use, with commands to choose from. */
export async function unclearProduct(
  { words, value, like, isUnsold, catalog, country }: Unclear,
  lineFor: LineFor,
): Promise<ScripError> {
  if (like.length === 0) return nothingCalled(await catalog.brands(country), words, country);
  const named = await Promise.all(
    like.slice(0, MOST_NAMED).map((product) => priced(catalog, product, value)),
  );
  const said = [words, value].filter(Boolean).join(' ');
  const details = {
    words,
    value: value ?? null,
    country,
    matches: like.length,
    products: named.map(recordOf),
  };
  const unnamed = like.length - named.length;
  // The parser would read an id that starts with - as an option.
  const pasted = named.filter(({ product }) => !product.id.startsWith('-'));
  const hint = joined(
    [
      ...pasted.map((offer) => hintLine(offer, lineFor(atSoldValue(offer, value)))),
      ...(unnamed > 0 ? [t`And ${unnamed} more; a longer name matches fewer.`] : []),
    ],
    '\n',
  );
  if (isUnsold) {
    const what = t`"${words}" is not sold at ${value ?? ''} in ${country.toUpperCase()}`;
    return new ScripError('VALUE_OUT_OF_RANGE', what, { details, hint });
  }
  const [only, ...others] = named;
  const what =
    only !== undefined && others.length === 0
      ? value === undefined
        ? t`No product is named exactly "${words}"; it may mean ${calledText(only)}`
        : t`No product of ${value} is named exactly "${words}"; it may mean ${calledText(only)}`
      : t`"${said}" matches ${like.length} products`;
  return new ScripError('PRODUCT_AMBIGUOUS', what, { details, hint });
}

/** Returns a command with the product's id. */
export function lineOf(
  verb: string,
  { product: { id }, value }: OfferedProduct,
  options: readonly string[],
): readonly string[] {
  return [verb, id, ...(value === undefined ? [] : [value]), ...options];
}

/** Adds a value to a range: the maximum if the wanted value is above it, otherwise the minimum. */
function atSoldValue(offer: OfferedProduct, wanted: string | undefined): OfferedProduct {
  const { isRange, values } = offer.product;
  if (!isRange || values === undefined || offer.value !== undefined) return offer;
  const { min, max } = values;
  const isAbove = wanted !== undefined && parseDecimal(wanted, FACE_DECIMALS) > max;
  return { ...offer, value: formatFaceValue(isAbove ? max : min) };
}

/** The name is escaped as a value, so that the command after it can be copied safely. */
function hintLine(offer: OfferedProduct, line: readonly string[]): Message {
  return commandText`${calledText(offer)}: ${wordList(['scrip', ...line], ' ')}`;
}

function calledText(offer: OfferedProduct): string {
  return `${nameOf(offer)} ${String(valueText(offer))}`.trim();
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

/**
 * Returns the error if nothing is similar: an id that is not sold there, or an unknown name.
 * @param country its code
 */
export function nothingCalled(
  brands: readonly Pick<ListedBrand, 'name'>[],
  words: string,
  country: string,
): ScripError {
  const names = brands.map(({ name }) => name);
  const near = nearest(names, words, MOST_NEAREST);
  const details = { words, country, nearest: near, products: [] };
  const place = country.toUpperCase();
  if (isProductId(words)) {
    const hint = t`Name the country of its catalog with --country.`;
    const message = t`No product "${words}" is sold in ${place}`;
    return new ScripError('PRODUCT_UNKNOWN', message, { details, hint });
  }
  return new ScripError('BRAND_UNKNOWN', t`Nothing in ${place} matches "${words}"`, {
    details,
    hint: CART_FILE.test(words)
      ? commandText`To order a cart: scrip order --cart ${words}`
      : commandText`See what is sold there: scrip brands --country ${country}`,
  });
}

const CART_FILE = /\.(?:csv|tsv|json|jsonl|ndjson)$/i;

// The error for a value between two steps of a range product: the nearest values, and the commands that name them.

interface Refused {
  readonly merchant: MerchantName;
  readonly value?: string | undefined;
  readonly productId: string;
  readonly country: string;
  readonly brand: string | undefined;
}

/**
 * Runs what needs a product at a value, and adds the nearest values to its VALUE_OFF_STEP if the merchant tells the
 * product's step. Other errors, and those after a payment, stay as they are.
 */
export async function orNearestValues<T>(
  context: ScripContext,
  refused: Refused,
  lineFor: LineFor,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch(
    expected(async (error) => {
      throw await withNearestValues(context, error, refused, lineFor).catch(
        // The merchant's own words are enough where its lists cannot be read.
        unlessInterrupted(() => error),
      );
    }, 'VALUE_OFF_STEP'),
  );
}

async function withNearestValues(
  context: ScripContext,
  error: ScripError,
  refused: Refused,
  lineFor: LineFor,
): Promise<ScripError> {
  const { productId, country, brand, value } = refused;
  if (error.fundsAtRisk !== 'none' || brand === undefined || value === undefined) return error;
  const deps = scripDeps(context);
  const catalog = await openCatalog(deps, refused.merchant);
  const [products, { valueStep }] = await Promise.all([
    catalog.products({ country, brand }),
    readDetails(deps, { productId, country, brand }, BESIDE_PRICE_MS),
  ]);
  const product = products.find(({ id }) => id === productId);
  if (product?.values === undefined || valueStep === undefined) return error;
  const { name, values, currency = '' } = product;
  const near = nearestOnStep({ ...values, step: valueStep }, parseDecimal(value, FACE_DECIMALS));
  const offers = await Promise.all(
    near.map((one) => priced(catalog, product, formatFaceValue(one))),
  );
  const [from, to, step] = [values.min, values.max, valueStep].map(formatFaceValue);
  return new ScripError(
    'VALUE_OFF_STEP',
    t`${name} is sold from ${from ?? ''} to ${to ?? ''} ${currency} in steps of ${step ?? ''}, not at ${value}`,
    {
      cause: error,
      details: { ...error.details, value, country, products: offers.map(recordOf) },
      hint: joined(
        offers.map((offer) => hintLine(offer, lineFor(offer))),
        '\n',
      ),
    },
  );
}

/** The values on the step below and above. Steps are counted from the minimum. */
function nearestOnStep(
  { min, max, step }: { readonly min: Atomic; readonly max: Atomic; readonly step: Atomic },
  value: Atomic,
): readonly Atomic[] {
  const below = value - ((value - min) % step);
  return [below, below + step].filter((one) => one >= min && one <= max).map(atomic);
}
