/** Prices an order of the checkout host, and limits what to pay for it. */

import {
  getBrands,
  getCatalog,
  getPrice,
  type WireCatalogItem,
  type WirePriceQuote,
} from '../../contract/checkout.ts';
import type { Fetch } from '../../contract/fetch.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { capFor } from '../../domain/money/cap.ts';
import { type Atomic, formatDecimal, parseDecimal } from '../../domain/money/money.ts';
import { nearest } from '../../domain/product/catalog-query.ts';
import { call } from '../http/call.ts';

export interface QuoteHost {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface QuoteInput {
  readonly productId: string;
  readonly countryCode: string;
  readonly brandName: string;
  /** Face value of a range product, as a decimal. */
  readonly value?: string | undefined;
}

export interface PriceQuote {
  readonly wire: WirePriceQuote;
  /** Indicative price in atomic units of USDC. */
  readonly priceAtomic: Atomic;
  readonly expiresAtMs: number;
}

const SUGGESTIONS = 5;

/** Ours: lifetime of a catalog price, which has no expiry; the same as a quote's (interface, Limits). */
const LISTED_LIFETIME_MS = 60_000;
/** Errors of hosts that have no price call, or none for a fixed product. */
const UNPRICED: ReadonlySet<Code> = new Set([
  'PRODUCT_UNKNOWN',
  'BRAND_UNKNOWN',
  'MERCHANT_REFUSED',
  'MERCHANT_REPLY_INVALID',
  'MERCHANT_ERROR',
]);

/**
 * Requests the price of one product. Only a range product needs `/v1/price` (interface): if the host answers
 * with an error, the catalog's price of a fixed product is used.
 * @param items lists the brand's products in the catalog; called only after such an error
 * @throws {ScripError} BRAND_UNKNOWN or PRODUCT_UNKNOWN with `details.nearest`; VALUE_REQUIRED and the other
 * VALUE codes; MERCHANT_REPLY_INVALID for an invalid price; what `call` throws
 */
export async function quote(
  host: QuoteHost,
  wanted: QuoteInput,
  items?: () => Promise<readonly WireCatalogItem[]>,
): Promise<PriceQuote> {
  const wire = withValue(await askPrice(host, wanted, items), wanted);
  if (wire.price_usdc === 'variable') {
    throw new ScripError('VALUE_REQUIRED', t`${wanted.brandName} needs a value`);
  }
  return {
    wire,
    priceAtomic: readPrice(wire.price_usdc),
    expiresAtMs: Date.parse(wire.quote_expires_at),
  };
}

/**
 * Returns the maximum to sign for: the user's limit, or the quote plus the tolerance.
 * @param maxAmount decimal USDC
 * @throws {ScripError} AMOUNT_INVALID; AMOUNT_OVER_CAP when the quote exceeds the user's maximum
 */
export function capOf(quotedAtomic: Atomic, maxAmount?: string): Atomic {
  const quoted = { priceAtomic: quotedAtomic, decimals: USDC_DECIMALS };
  return capFor(quoted, maxAmount, (capAtomic, most) => ({
    message: t`The price is ${formatDecimal(quotedAtomic, USDC_DECIMALS, 2)} USDC, more than the ${most} allowed`,
    details: { amount_atomic: quotedAtomic.toString(), cap_atomic: capAtomic.toString() },
  }));
}

async function askPrice(
  host: QuoteHost,
  wanted: QuoteInput,
  items: (() => Promise<readonly WireCatalogItem[]>) | undefined,
): Promise<WirePriceQuote> {
  const { fetch, baseUrl, ...options } = host;
  const input = {
    product_id: wanted.productId,
    country_code: wanted.countryCode,
    brand_name: wanted.brandName,
    product_value: wanted.value,
  };
  try {
    return await call(fetch, baseUrl, getPrice, input, options);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    const listed = UNPRICED.has(error.code)
      ? listedPrice(host, wanted, await items?.())
      : undefined;
    if (listed !== undefined) return listed;
    if (error.code === 'BRAND_UNKNOWN' || error.code === 'PRODUCT_UNKNOWN') {
      throw (await explainUnknown(host, wanted)) ?? error;
    }
    throw error;
  }
}

/** Fills in the requested value, which a price response need not repeat (interface: PriceQuote). */
function withValue(wire: WirePriceQuote, { value }: QuoteInput): WirePriceQuote {
  const isTold = wire.face_value !== undefined || !wire.is_range || value === undefined;
  return isTold ? wire : { ...wire, face_value: value };
}

/** Returns the catalog's price of a fixed product; undefined if it has none. */
function listedPrice(
  { clock }: QuoteHost,
  { productId, value }: QuoteInput,
  items: readonly WireCatalogItem[] = [],
): WirePriceQuote | undefined {
  const item = items.find(({ product_id }) => product_id === productId);
  if (item === undefined || item.is_range || value !== undefined) return undefined;
  const { product_name, brand_name, country_code, price_usdc, currency = 'USD' } = item;
  const faceValue = currency === 'USD' ? item.face_value_usd : undefined;
  return {
    product_id: productId,
    ...(product_name === undefined ? {} : { product_name }),
    brand_name,
    country_code,
    is_range: false,
    ...(faceValue === undefined ? {} : { face_value: faceValue }),
    currency,
    price_usdc,
    quote_expires_at: new Date(clock.now() + LISTED_LIFETIME_MS).toISOString(),
  };
}

/** Returns an error that says whether brand or product is unknown, with the nearest matches. */
async function explainUnknown(
  host: QuoteHost,
  wanted: QuoteInput,
): Promise<ScripError | undefined> {
  const { fetch, baseUrl, ...options } = host;
  const { brandName, countryCode, productId } = wanted;
  const where = { country_code: countryCode };
  try {
    const brands = await call(fetch, baseUrl, getBrands, where, options);
    const names = brands.map((brand) => brand.brand_name);
    if (!names.includes(brandName)) {
      const similar = nearest(names, brandName, SUGGESTIONS);
      const what = t`No brand "${brandName}" is sold in ${countryCode.toUpperCase()}`;
      const hint =
        similar.length === 0 ? {} : { hint: commandText`Did you mean: ${wordList(similar)}?` };
      return new ScripError('BRAND_UNKNOWN', what, { ...hint, details: { nearest: similar } });
    }
    const filter = { ...where, brand_name: brandName };
    const items = await call(fetch, baseUrl, getCatalog, filter, options);
    const products = items.slice(0, SUGGESTIONS).map((item) => item.product_id);
    const what = t`${brandName} has no product "${productId}" in ${countryCode.toUpperCase()}`;
    return new ScripError('PRODUCT_UNKNOWN', what, { details: { nearest: products } });
  } catch (error) {
    // This call only improves the error, so fall back to the original one.
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return undefined;
    throw error;
  }
}

function readPrice(text: string): Atomic {
  try {
    return parseDecimal(text, USDC_DECIMALS);
  } catch (error) {
    throw new ScripError('MERCHANT_REPLY_INVALID', t`The price "${text}" is not a USDC amount`, {
      cause: error,
    });
  }
}
