/** Products for sale: brands, products, denominations and face values. */

import { ScripError } from '../message/errors.ts';
import { type Message, type Said, t } from '../message/message.ts';
import { type Atomic, atomic, FACE_DECIMALS, formatDecimal, parseDecimal } from '../money/money.ts';

export const PRODUCT_KINDS = ['giftcard', 'mobile_topup', 'esim', 'other'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

/** A brand in one country. */
export interface Brand {
  readonly brandId: string;
  readonly name: string;
  /** Product family, such as `Gift Cards` or `Mobile Recharge`. */
  readonly family: string;
  /** Category slug, such as `e-commerce`. */
  readonly category: string;
  readonly kind: ProductKind;
  /** Lowercase ISO 3166-1 alpha-2, or `xk`. */
  readonly countryCode: string;
  /** ISO 4217 of the face values. */
  readonly currency: string;
  readonly isOutOfStock: boolean;
  /** Smallest and largest face value of the brand's products, in 10^-6 of the currency. */
  readonly minFaceValue: Atomic;
  readonly maxFaceValue: Atomic;
}

/** Face values for sale, in 10^-6 of the currency. */
export type Denomination =
  | { readonly isRange: false; readonly faceValue: Atomic }
  | { readonly isRange: true; readonly min: Atomic; readonly max: Atomic; readonly step: Atomic };

export interface Product {
  /** Canonical UUID. */
  readonly productId: string;
  readonly name: string;
  readonly brand: Brand;
  readonly denomination: Denomination;
  /** Short tag, unique among the products of a brand, such as `25 USD`. */
  readonly label: string;
}

/** Formats a face value as people write it: `25`, `25.50`. */
export function formatFaceValue(value: Atomic): string {
  const text = formatDecimal(value, FACE_DECIMALS);
  return text.includes('.') ? formatDecimal(value, FACE_DECIMALS, 2) : text;
}

/** Label of a denomination, unique within its brand: `25 USD` or `5-500 USD`. */
export function labelOf(denomination: Denomination, currency: string): string {
  return denomination.isRange
    ? `${formatFaceValue(denomination.min)}-${formatFaceValue(denomination.max)} ${currency}`
    : `${formatFaceValue(denomination.faceValue)} ${currency}`;
}

/** Returns the smallest and largest face value; zero for an empty list. */
export function faceValueBounds(
  denominations: readonly Denomination[],
): Pick<Brand, 'minFaceValue' | 'maxFaceValue'> {
  const values = denominations
    .flatMap((it): Atomic[] => (it.isRange ? [it.min, it.max] : [it.faceValue]))
    .toSorted((one, other) => (one < other ? -1 : 1));
  const none = atomic(0n);
  return { minFaceValue: values[0] ?? none, maxFaceValue: values.at(-1) ?? none };
}

/**
 * Returns the face value to buy: the product's own, or the chosen one of a range product.
 * @param chosen decimal text, or undefined if none was chosen
 * @throws {ScripError} VALUE_REQUIRED, VALUE_NOT_ALLOWED, VALUE_OUT_OF_RANGE, VALUE_OFF_STEP or
 * AMOUNT_INVALID
 */
export function acceptFaceValue(product: Product, chosen: string | undefined): Atomic {
  const { denomination, brand } = product;
  if (!denomination.isRange) {
    if (chosen !== undefined && parseDecimal(chosen, FACE_DECIMALS) !== denomination.faceValue) {
      throw new ScripError(
        'VALUE_NOT_ALLOWED',
        t`${product.name} has the fixed face value ${formatFaceValue(denomination.faceValue)} ${brand.currency}, not ${chosen}`,
      );
    }
    return denomination.faceValue;
  }
  const bounds = describeRange(product);
  if (chosen === undefined) {
    throw new ScripError('VALUE_REQUIRED', t`${product.name} needs a face value: ${bounds}`);
  }
  const value = parseDecimal(chosen, FACE_DECIMALS);
  const { min, max, step } = denomination;
  if (value < min || value > max) {
    throw new ScripError(
      'VALUE_OUT_OF_RANGE',
      t`${chosen} is outside the range of ${product.name}: ${bounds}`,
    );
  }
  if ((value - min) % step !== 0n) {
    throw new ScripError(
      'VALUE_OFF_STEP',
      t`${chosen} is not a multiple of the step of ${product.name}: ${bounds}`,
    );
  }
  return value;
}

/** Returns `5 to 500 USD in steps of 1`, or an empty text for a fixed product. */
export function describeRange(product: Product): Message {
  const { denomination, brand } = product;
  if (!denomination.isRange) return t``;
  const { min, max, step } = denomination;
  return t`${formatFaceValue(min)} to ${formatFaceValue(max)} ${brand.currency} in steps of ${formatFaceValue(step)}`;
}

/** Bounds at the end of a range product's name, such as ` 1-2000 USD`. */
const BOUNDS = /\s*\d[\d.,]{0,14}\s?(?:-|–|to)\s?\d[\d.,]{0,14}\s?[A-Z]{3}$/;
/** Maximum length of such bounds; limits what the pattern scans. */
const MOST_BOUNDS = 48;
const MORE = / and (\d{1,3}) more$/;

/** Makes the journal's text about a cart, the first product ` and 3 more`, localizable. */
export function inCart(text: string): Said {
  const more = MORE.exec(text);
  if (more === null) return text;
  return t`${text.slice(0, more.index)} and ${Number(more[1])} more`;
}

/**
 * Returns what was bought in people's words: `Amazon.com 25 USD` for a product named `Amazon.com 1-2000 USD`.
 * Other names stay as they are.
 * @param goods.name the merchant's name; for a cart, with ` and 3 more` after it
 * @param goods.faceValue the value bought; empty when unknown
 */
export function goodsName(goods: {
  readonly name: string;
  readonly faceValue: string;
  readonly currency: string;
}): string {
  const { name, faceValue, currency } = goods;
  if (!/^\d/.test(faceValue)) return name;
  const more = MORE.exec(name)?.[0] ?? '';
  const first = name.slice(0, name.length - more.length);
  const value = /[^\d.,]/.test(faceValue) ? faceValue : `${faceValue} ${currency}`.trim();
  const isBare = first.endsWith(` ${faceValue}`) && value !== faceValue;
  const tail = isBare ? ` ${faceValue}` : (BOUNDS.exec(first.slice(-MOST_BOUNDS))?.[0] ?? '');
  const what = first.slice(0, first.length - tail.length);
  return tail === '' || what === '' ? name : `${what} ${value}${more}`;
}
