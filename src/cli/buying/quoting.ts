/** The preview of an order: what is bought, for whom, what it costs, and the most that may be paid. */
import type { WireCatalogItem, WireOrderRequest, WirePriceQuote } from '../../contract/checkout.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { PRODUCT_KINDS, type ProductKind } from '../../domain/product.ts';
import { callOptions, inPlace } from '../browsing/place.ts';
import type { Context } from '../context.ts';
import { type Recipient, readRecipient } from './recipient.ts';

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
  readonly recipient: Recipient;
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
  const { checkEmail } = await import('../../domain/beneficiary.ts');
  const email = checkEmail(wish.email);
  const { capOf } = await import('../../api/checkout/quote.ts');
  const goods = await priceGoods(context, wish);
  return {
    ...goods,
    email,
    recipient: await readRecipient(context, {
      kind: goods.kind,
      account: wish.beneficiary,
      countryCode: goods.countryCode,
    }),
    capAtomic: capOf(goods.priceAtomic, wish.maxAmount),
  };
}

/** What is bought, whoever it is for. */
export type Goods = Pick<Wish, 'productId' | 'country' | 'brand' | 'value'>;
export type PricedGoods = Omit<Preview, 'recipient' | 'email' | 'capAtomic'>;

/**
 * Asks what goods cost. @throws {ScripError} as `preview` does, of everything but people
 * @param listOf the products of a brand; several goods of one brand may share the answer
 */
export async function priceGoods(
  context: Context,
  { productId, country, brand, value: typed }: Goods,
  listOf: typeof listProducts = listProducts,
): Promise<PricedGoods> {
  const value = typed === undefined ? undefined : canonicalValue(typed);
  const { quote } = await import('../../api/checkout/quote.ts');
  const host = {
    fetch: context.parts.fetch,
    baseUrl: context.settings.checkoutUrl,
    ...callOptions(context),
  };
  return inPlace(context, { country, brand }, async (countryCode) => {
    const listing = listOf(context, countryCode, brand);
    const [items, { wire, priceAtomic }] = await Promise.all([
      listing,
      quote(host, { productId, countryCode, brandName: brand, value }, () => listing),
    ]);
    return {
      quote: wire,
      countryCode,
      priceAtomic,
      productValue: wire.is_range && value !== undefined ? Number(value) : undefined,
      // The catalog tells the kind of the product, and with it what a beneficiary is.
      kind: kindOf(items.find((item) => item.product_id === productId)),
    };
  });
}

/** What both phases of the paid call are about. */
export function requestBody(offer: Preview, productId: string): WireOrderRequest {
  const { recipient, email, productValue } = offer;
  const item = { product_id: productId, beneficiary_account: recipient.account };
  const value = productValue === undefined ? {} : { product_value: productValue };
  return { email, items: [{ ...item, ...value }] };
}

/** `25.50` as `25.5`: the one spelling that survives the wire's number. */
export function canonicalValue(text: string): string {
  return formatDecimal(parseDecimal(text, FACE_DECIMALS), FACE_DECIMALS);
}

/** The products of a brand in a country. @throws {ScripError} the codes of a call */
export async function listProducts(
  context: Context,
  countryCode: string,
  brand: string,
): Promise<readonly WireCatalogItem[]> {
  const { call } = await import('../../api/http/call.ts');
  const { getCatalog } = await import('../../contract/checkout.ts');
  const query = { country_code: countryCode, brand_name: brand };
  const { checkoutUrl } = context.settings;
  return call(context.parts.fetch, checkoutUrl, getCatalog, query, callOptions(context));
}

function kindOf(item: WireCatalogItem | undefined): ProductKind | undefined {
  return PRODUCT_KINDS.find((kind) => kind === item?.type);
}
