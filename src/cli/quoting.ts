/** The preview of an order: what is bought, for whom, what it costs, and the most that may be paid. */
import type { WireCatalogItem, WireOrderRequest, WirePriceQuote } from '../contract/checkout.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal, parseDecimal } from '../domain/money.ts';
import { PRODUCT_KINDS, type ProductKind } from '../domain/product.ts';
import type { Context } from './context.ts';
import { callOptions, inPlace } from './place.ts';

export interface Wish {
  readonly productId: string;
  readonly country: string;
  readonly brand: string;
  /** Face value as typed, for products that let it be chosen. */
  readonly value: string | undefined;
  readonly beneficiary: string;
  readonly email: string;
  /** The most to pay, as typed, where the user said so. */
  readonly maxAmount: string | undefined;
}

export interface Preview {
  readonly quote: WirePriceQuote;
  readonly countryCode: string;
  readonly beneficiary: string;
  readonly email: string;
  readonly priceAtomic: Atomic;
  /** The most that may be signed for. */
  readonly capAtomic: Atomic;
  /** Chosen face value as the wire's number; undefined for fixed products. */
  readonly productValue: number | undefined;
  /** As the catalog says; undefined where it does not. */
  readonly kind: ProductKind | undefined;
}

/**
 * Asks what the order costs; sends nothing that could cost money.
 * @throws {ScripError} for anything wrong with the wish: EMAIL_INVALID, PHONE_INVALID,
 * COUNTRY_UNKNOWN, BRAND_UNKNOWN, PRODUCT_UNKNOWN, VALUE_REQUIRED and its like, AMOUNT_OVER_CAP
 */
export async function preview(context: Context, wish: Wish): Promise<Preview> {
  const { checkEmail } = await import('../domain/beneficiary.ts');
  const email = checkEmail(wish.email);
  const value = wish.value === undefined ? undefined : canonicalValue(wish.value);
  const place = { country: wish.country, brand: wish.brand };
  const { capOf, quote } = await import('../client/quote.ts');
  const host = {
    fetch: context.fetch,
    baseUrl: context.settings.checkoutUrl,
    ...callOptions(context),
  };
  return inPlace(context, place, async (countryCode) => {
    const [item, { wire, priceAtomic }] = await Promise.all([
      findItem(context, countryCode, wish),
      quote(host, { productId: wish.productId, countryCode, brandName: wish.brand, value }),
    ]);
    return {
      quote: wire,
      countryCode,
      email,
      beneficiary: await checkRecipient(context, item, wish.beneficiary),
      priceAtomic,
      capAtomic: capOf(priceAtomic, wish.maxAmount),
      productValue: wire.is_range && value !== undefined ? Number(value) : undefined,
      kind: kindOf(item),
    };
  });
}

/** What both phases of the paid call are about. */
export function requestBody(offer: Preview, productId: string): WireOrderRequest {
  const { beneficiary, email, productValue } = offer;
  const item = { product_id: productId, beneficiary_account: beneficiary };
  const value = productValue === undefined ? {} : { product_value: productValue };
  return { email, items: [{ ...item, ...value }] };
}

/** `25.50` as `25.5`: the one spelling that survives the wire's number. */
function canonicalValue(text: string): string {
  return formatDecimal(parseDecimal(text, FACE_DECIMALS), FACE_DECIMALS);
}

/** The catalog tells the kind of the product, and with it what a beneficiary is. */
async function findItem(
  context: Context,
  countryCode: string,
  { productId, brand }: Wish,
): Promise<WireCatalogItem | undefined> {
  const { call } = await import('../client/call.ts');
  const { getCatalog } = await import('../contract/checkout.ts');
  const query = { country_code: countryCode, brand_name: brand };
  const { checkoutUrl } = context.settings;
  const items = await call(context.fetch, checkoutUrl, getCatalog, query, callOptions(context));
  return items.find((item) => item.product_id === productId);
}

async function checkRecipient(
  context: Context,
  item: WireCatalogItem | undefined,
  text: string,
): Promise<string> {
  const kind = kindOf(item);
  // The merchant knows what else an account may be.
  if (kind === undefined) return text;
  const { checkBeneficiary } = await import('../domain/beneficiary.ts');
  return checkBeneficiary(kind, text, context.parsePhone);
}

function kindOf(item: WireCatalogItem | undefined): ProductKind | undefined {
  return PRODUCT_KINDS.find((kind) => kind === item?.type);
}
