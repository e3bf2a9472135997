/** A product as the user can choose it: at a value, with its price. */

import type { CatalogReader, ListedProduct } from '../../api/catalog-reader.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Said, t } from '../../domain/message.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { formatFaceValue } from '../../domain/product.ts';

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
  try {
    const { price } = await catalog.price({ productId, country, brand, value: offer.value });
    return { ...offer, priceUsdc: price };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { ...offer, isOutOfStock: isOutOfStock || error.code === 'OUT_OF_STOCK' };
  }
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
