/** Errors for words that do not mean one product: similar products, and the commands that name them. */

import type { CatalogReader, ListedBrand, ListedProduct } from '../../api/catalog-reader.ts';
import { nearest } from '../../domain/catalog-query.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import { FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { formatFaceValue } from '../../domain/product.ts';
import { isProductId } from '../parsing/product-words.ts';
import { nameOf, type OfferedProduct, priced, valueText } from './offered-product.ts';

interface Unclear {
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
  if (like.length === 0) return unknown(catalog, words, country);
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
    const what = t`"${words}" is not sold at ${value ?? ''} in ${country}`;
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
export function hintLine(offer: OfferedProduct, line: readonly string[]): Message {
  return commandText`${calledText(offer)}: ${wordList(['scrip', ...line], ' ')}`;
}

function calledText(offer: OfferedProduct): string {
  return `${nameOf(offer)} ${String(valueText(offer))}`.trim();
}

export function recordOf({ product, value, priceUsdc, isOutOfStock }: OfferedProduct) {
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
  const isId = isProductId(words);
  if (isId) {
    return new ScripError('PRODUCT_UNKNOWN', t`No product "${words}" is sold in ${country}`, {
      details,
      hint: t`Name the country of its catalog with --country.`,
    });
  }
  return new ScripError('BRAND_UNKNOWN', t`Nothing in ${country} matches "${words}"`, {
    details,
    hint: commandText`See what is sold there: scrip brands --country ${country}`,
  });
}
