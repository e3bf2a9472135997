/** Prices of products in USDC. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, scaleUp } from '../../domain/money/money.ts';
import type { Product } from '../../domain/product/product.ts';

/** Values of currency units. */
export interface Rates {
  /** Changes when a rate does: cached prices are keyed on it. */
  readonly version: string;
  /** Value of one unit (1 EUR, 1 JPY) in 10^-12 USD; undefined if there is no rate. */
  picoUsdPer(currency: string): bigint | undefined;
}

const PICO_PER_USD = 10n ** 12n;
const BPS = 10_000n;

/** Ours, after the interface's sample quote: 50 USD of face value for 50.50 USDC. */
export const DEFAULT_MARGIN_BPS = 100;

/**
 * Converts a face value to 10^-6 USD, rounded up.
 * @throws {ScripError} CATALOG_INVALID when there is no rate for the product's currency
 */
export function faceValueUsd(product: Product, faceValue: Atomic, rates: Rates): Atomic {
  return scaleUp(faceValue, rateOf(product, rates), PICO_PER_USD);
}

/**
 * Price of a face value (10^-6 of the product's currency) in atomic units of USDC, which also have
 * six decimals. The margin is a whole number of hundredths of a percent. Rounded up once, so
 * rounding never puts the price below cost.
 * @throws {ScripError} CATALOG_INVALID when there is no rate for the product's currency
 */
export function priceUsdc(
  product: Pick<Product, 'name' | 'brand'>,
  faceValue: Atomic,
  rates: Rates,
  { marginBps = DEFAULT_MARGIN_BPS }: { readonly marginBps?: number } = {},
): Atomic {
  return scaleUp(faceValue, rateOf(product, rates) * (BPS + BigInt(marginBps)), PICO_PER_USD * BPS);
}

function rateOf(product: Pick<Product, 'name' | 'brand'>, rates: Rates): bigint {
  const { currency } = product.brand;
  const rate = rates.picoUsdPer(currency);
  if (rate !== undefined) return rate;
  throw new ScripError(
    'CATALOG_INVALID',
    t`${product.name} is priced in ${currency}, which has no exchange rate`,
    { hint: t`Price the product in a currency with an exchange rate, such as USD.` },
  );
}
