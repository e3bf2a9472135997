/** Prices an order of the checkout host, and limits what to pay for it. */

import { getPrice, type WireCatalogItem, type WirePriceQuote } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { capFor } from '../../domain/money/cap.ts';
import { type Atomic, formatDecimal, parseDecimal } from '../../domain/money/money.ts';
import type { PriceQuestion } from '../catalog-reader.ts';
import { type CallOptions, call } from '../http/call.ts';
import type { Place, ScripDeps } from '../scrip.ts';

interface QuoteDeps extends Pick<ScripDeps, 'fetch' | 'clock'>, Pick<CallOptions, 'signal'> {
  readonly place: Pick<Place, 'checkoutUrl'>;
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
 * @param wanted with the country's code
 * @param items lists the brand's products in the catalog; called only after such an error
 * @returns the host's reply, and its indicative price in atomic units of USDC
 * @throws {ScripError} BRAND_UNKNOWN; PRODUCT_UNKNOWN with `details.nearest`; VALUE_REQUIRED and the other
 * VALUE codes; MERCHANT_REPLY_INVALID for an invalid price; what `call` throws
 */
export async function quote(
  deps: QuoteDeps,
  wanted: PriceQuestion,
  items: () => Promise<readonly WireCatalogItem[]>,
): Promise<{ readonly wire: WirePriceQuote; readonly priceAtomic: Atomic }> {
  const { value } = wanted;
  const told = await askPrice(deps, wanted, items);
  // A price response need not repeat the value (interface: PriceQuote).
  const isTold = told.face_value !== undefined || !told.is_range || value === undefined;
  const wire = isTold ? told : { ...told, face_value: value };
  if (wire.price_usdc === 'variable') {
    throw new ScripError('VALUE_REQUIRED', t`${wanted.brand} needs a value`);
  }
  return { wire, priceAtomic: readPrice(wire.price_usdc) };
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
  deps: QuoteDeps,
  wanted: PriceQuestion,
  items: () => Promise<readonly WireCatalogItem[]>,
): Promise<WirePriceQuote> {
  const { fetch, place, clock, signal } = deps;
  const { productId, country: code, brand, value } = wanted;
  const input = {
    product_id: productId,
    country_code: code,
    brand_name: brand,
    product_value: value,
  };
  try {
    return await call(fetch, place.checkoutUrl, getPrice, input, { clock, signal });
  } catch (error) {
    if (!(error instanceof ScripError) || !UNPRICED.has(error.code)) throw error;
    const sold = await items();
    const listed = listedPrice(deps, wanted, sold);
    if (listed !== undefined) return listed;
    if (error.code !== 'BRAND_UNKNOWN' && error.code !== 'PRODUCT_UNKNOWN') throw error;
    const country = code.toUpperCase();
    if (sold.length === 0) {
      throw new ScripError('BRAND_UNKNOWN', t`No brand "${brand}" is sold in ${country}`);
    }
    const products = sold.slice(0, SUGGESTIONS).map((item) => item.product_id);
    const what = t`${brand} has no product "${productId}" in ${country}`;
    throw new ScripError('PRODUCT_UNKNOWN', what, { details: { nearest: products } });
  }
}

/** Returns the catalog's price of a fixed product; undefined if it has none. */
function listedPrice(
  { clock }: QuoteDeps,
  { productId, value }: PriceQuestion,
  items: readonly WireCatalogItem[],
): WirePriceQuote | undefined {
  const item = items.find(({ product_id }) => product_id === productId);
  if (item === undefined || item.is_range || value !== undefined) return undefined;
  const { product_name, brand_name, country_code, price_usdc, currency = 'USD' } = item;
  const faceValue = currency === 'USD' ? item.face_value_usd : undefined;
  return {
    product_id: productId,
    product_name,
    brand_name,
    country_code,
    is_range: false,
    face_value: faceValue,
    currency,
    price_usdc,
    quote_expires_at: new Date(clock.now() + LISTED_LIFETIME_MS).toISOString(),
  };
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
