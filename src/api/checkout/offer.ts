/** What the checkout host would sell: the goods, for whom, what they cost, and the most that may be paid. */

import type { WireCatalogItem, WireOrderRequest, WirePriceQuote } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { OWN_NETWORK } from '../../domain/payment-means.ts';
import { goodsName, PRODUCT_KINDS, type ProductKind } from '../../domain/product.ts';
import { callOptions } from '../http/call-options.ts';
import { inCountry } from '../in-country.ts';
import type { Offer, Wish, WishedItem } from '../merchant.ts';
import { readRecipient } from '../recipient.ts';
import type { ScripDeps } from '../scrip.ts';

/** What is bought, without its beneficiary. */
export type Goods = Pick<WishedItem, 'productId' | 'country' | 'brand' | 'value'>;

export interface PricedGoods {
  readonly quote: WirePriceQuote;
  readonly countryCode: string;
  readonly priceAtomic: Atomic;
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
export async function checkoutOffer(
  deps: ScripDeps,
  { email: typed = '', items: [item], maxAmount, callbackUrl }: Wish,
): Promise<Offer<WireOrderRequest>> {
  const { checkEmail } = await import('../../domain/beneficiary.ts');
  const { capOf } = await import('./quote.ts');
  const email = checkEmail(typed);
  const wished = item ?? NOTHING;
  const goods = await priceGoods(deps, wished);
  const { quote, countryCode, priceAtomic, kind, productValue } = goods;
  const recipient = await readRecipient(deps, { kind, account: wished.to, countryCode });
  const { product_name, brand_name, product_id, face_value = '', currency } = quote;
  const faceValue = String(face_value);
  return {
    body: {
      email,
      items: [
        {
          product_id: wished.productId,
          beneficiary_account: recipient.account,
          ...(productValue === undefined ? {} : { product_value: productValue }),
        },
      ],
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    },
    summary: {
      productId: wished.productId,
      productName: product_name ?? brand_name,
      brandName: brand_name,
      countryCode,
      faceValue,
      currency,
      beneficiary: recipient.account,
    },
    kinds: kind === undefined ? undefined : [kind],
    lines: [
      {
        name: goodsName({
          name: product_name ?? `${brand_name} ${product_id}`,
          faceValue,
          currency,
        }),
        faceValue: `${faceValue} ${currency}`.trim(),
        quantity: 1,
        recipient,
      },
    ],
    email,
    coin: 'USDC',
    network: OWN_NETWORK,
    price: {
      text: formatDecimal(priceAtomic, USDC_DECIMALS, 2),
      atomic: priceAtomic,
      capAtomic: capOf(priceAtomic, maxAmount),
      decimals: USDC_DECIMALS,
    },
    expiresAt: quote.quote_expires_at,
    isSendable: true,
    refundsTo: undefined,
    problems: [],
  };
}

const NOTHING: WishedItem = { productId: '', country: '', quantity: 1, to: '' };

/**
 * Asks what goods cost. @throws {ScripError} as `checkoutOffer` does, of everything but people
 * @param listOf the products of a brand; several goods of one brand may share the answer
 */
export async function priceGoods(
  deps: ScripDeps,
  { productId, country, brand = '', value: typed }: Goods,
  listOf: typeof listProducts = listProducts,
): Promise<PricedGoods> {
  const value = typed === undefined ? undefined : canonicalValue(typed);
  const { quote } = await import('./quote.ts');
  const host = { fetch: deps.fetch, baseUrl: deps.place.checkoutUrl, ...callOptions(deps) };
  return inCountry(deps, { country, brand }, async (countryCode) => {
    const listing = listOf(deps, countryCode, brand);
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

/** `25.50` as `25.5`: the one spelling that survives the wire's number. */
export function canonicalValue(text: string): string {
  return formatDecimal(parseDecimal(text, FACE_DECIMALS), FACE_DECIMALS);
}

/** The products of a brand in a country. @throws {ScripError} the codes of a call */
export async function listProducts(
  deps: ScripDeps,
  countryCode: string,
  brand: string,
): Promise<readonly WireCatalogItem[]> {
  const { call } = await import('../http/call.ts');
  const { getCatalog } = await import('../../contract/checkout.ts');
  const query = { country_code: countryCode, brand_name: brand };
  return call(deps.fetch, deps.place.checkoutUrl, getCatalog, query, callOptions(deps));
}

function kindOf(item: WireCatalogItem | undefined): ProductKind | undefined {
  return PRODUCT_KINDS.find((kind) => kind === item?.type);
}
