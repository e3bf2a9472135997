/** Quotes an order of the checkout host: goods, recipients, price, and the maximum to pay. */

import {
  orderRequest,
  type WireOrderItem,
  type WireOrderRequest,
} from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import type { Intent } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import {
  type Atomic,
  atomic,
  FACE_DECIMALS,
  formatDecimal,
  parseAtomic,
  parseDecimal,
} from '../../domain/money/money.ts';
import { OWN_NETWORK } from '../../domain/payment/payment-means.ts';
import { goodsName, PRODUCT_KINDS } from '../../domain/product/product.ts';
import { inCountry } from '../in-country.ts';
import type { OrderInput, OrderItem, Price, Quote, QuoteLine } from '../merchant.ts';
import { type Recipient, readRecipient } from '../recipient.ts';
import type { ScripDeps } from '../scrip.ts';
import { listProducts, whereOf } from './checkout-catalog.ts';

/** The product to buy, without its recipient. */
export type ProductSelection = Pick<OrderItem, 'productId' | 'country' | 'brand' | 'value'>;

export type PricedSelection = Awaited<ReturnType<typeof priceSelection>>;

/** One priced item of an order, and its recipient. */
export interface PricedLine {
  readonly chosen: OrderItem;
  readonly goods: PricedSelection;
  readonly recipient: Recipient;
}

export type PricedQuote = Quote<WireOrderRequest> & { readonly price: Price };

/**
 * Quotes an order; sends nothing that could cost money.
 * @throws {ScripError} for anything wrong with the order: EMAIL_INVALID, PHONE_INVALID, COUNTRY_UNKNOWN,
 * BRAND_UNKNOWN, PRODUCT_UNKNOWN, VALUE_REQUIRED and the other VALUE codes, AMOUNT_OVER_CAP
 */
export async function quoteCheckout(
  deps: ScripDeps,
  { email: typed = '', items: [item], maxAmount, callbackUrl }: OrderInput,
): Promise<PricedQuote> {
  const { checkEmail } = await import('../../domain/address/email.ts');
  const { capOf } = await import('./price-quote.ts');
  const email = checkEmail(typed);
  const line = await priceLine(deps, item ?? NOTHING);
  return offerOf([line], { email, callbackUrl }, (priceAtomic) => capOf(priceAtomic, maxAmount));
}

/**
 * Prices one item and checks its recipient.
 * @param pricing price of the goods, which several lines may share
 * @throws {ScripError} as `quoteCheckout`
 */
export async function priceLine(
  deps: ScripDeps,
  chosen: OrderItem,
  pricing: Promise<PricedSelection> = priceSelection(deps, chosen),
): Promise<PricedLine> {
  const goods = await pricing;
  const { kind, countryCode } = goods;
  const recipient = await readRecipient(deps, { kind, account: chosen.to, countryCode });
  return { chosen, goods, recipient };
}

/** Combines lines of one country into one order, which may hold up to `MAX_ITEMS_PER_ORDER` items. */
export function offerOf(
  lines: readonly PricedLine[],
  { email, callbackUrl }: { readonly email: string; readonly callbackUrl?: string | undefined },
  capOf: (priceAtomic: Atomic) => Atomic,
): PricedQuote {
  const kinds = lines.flatMap(({ goods }) => goods.kind ?? []);
  const priceAtomic = atomic(lines.reduce((total, { goods }) => total + goods.priceAtomic, 0n));
  return {
    ...inUsdc(priceAtomic, () => capOf(priceAtomic)),
    body: { email, items: lines.map(wireItem), callback_url: callbackUrl },
    summary: summaryOf(lines),
    // If one kind is unknown, report none to the policy.
    kinds: kinds.length < lines.length ? undefined : [...new Set(kinds)],
    lines: lines.map(quoteLineOf),
    email,
    expiresAt: lines.flatMap(({ goods }) => goods.quote.quote_expires_at ?? []).toSorted()[0],
  };
}

/**
 * Rebuilds the quote of an earlier run's order from the journaled request.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export function offerAgain({ intentId, body, summary, kinds, ...terms }: Intent): PricedQuote {
  const read = orderRequest().safeParse(JSON.parse(body));
  if (!read.success) {
    throw new ScripError('JOURNAL_UNUSABLE', t`The order ${intentId} of this cart cannot be read`, {
      cause: read.error,
    });
  }
  const { email } = read.data;
  return {
    ...inUsdc(parseAtomic(terms.quotedAtomic), () => parseAtomic(terms.capAtomic)),
    ...{ body: read.data, summary, kinds, lines: [], email, expiresAt: undefined },
  };
}

/** The terms of every quote: this machine's wallet pays in USDC, the host's only coin. */
function inUsdc(quotedAtomic: Atomic, capAtomic: () => Atomic) {
  return {
    coin: 'USDC',
    network: OWN_NETWORK,
    price: {
      text: formatDecimal(quotedAtomic, USDC_DECIMALS, 2),
      atomic: quotedAtomic,
      capAtomic: capAtomic(),
      decimals: USDC_DECIMALS,
    },
    isSendable: true,
    refundsTo: undefined,
    problems: [],
  };
}

function wireItem({ chosen, goods: { productValue }, recipient }: PricedLine): WireOrderItem {
  return {
    product_id: chosen.productId,
    beneficiary_account: recipient.account,
    product_value: productValue,
  };
}

/** Summarizes the first item, and how many more there are. */
function summaryOf([first, ...others]: readonly PricedLine[]): Intent['summary'] {
  const {
    product_name,
    brand_name = '',
    face_value = '',
    currency = '',
  } = first?.goods.quote ?? {};
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return {
    productId: first?.chosen.productId ?? '',
    productName: `${product_name ?? brand_name}${more}`,
    brandName: brand_name,
    countryCode: first?.goods.countryCode ?? '',
    faceValue: String(face_value),
    currency,
    beneficiary: `${first?.recipient.account ?? ''}${more}`,
  };
}

export function quoteLineOf({ goods: { quote }, recipient }: PricedLine): QuoteLine {
  const { product_name, brand_name, product_id, face_value = '', currency } = quote;
  const faceValue = String(face_value);
  return {
    name: goodsName({ name: product_name ?? `${brand_name} ${product_id}`, faceValue, currency }),
    faceValue: `${faceValue} ${currency}`.trim(),
    quantity: 1,
    recipient,
  };
}

const NOTHING: OrderItem = { productId: '', country: '', quantity: 1, to: '' };

/**
 * Prices a product.
 * @param listOf lists the products of a brand; several items of one brand may share the response
 * @throws {ScripError} as `quoteCheckout`, except for recipients
 */
export async function priceSelection(
  deps: ScripDeps,
  { productId, country, brand = '', value: typed }: ProductSelection,
  listOf: typeof listProducts = listProducts,
) {
  const value = typed === undefined ? undefined : canonicalValue(typed);
  const { quote } = await import('./price-quote.ts');
  return inCountry(deps, whereOf(deps, { country, brand }), async (countryCode) => {
    const listing = listOf(deps, countryCode, brand);
    const [items, { wire, priceAtomic }] = await Promise.all([
      listing,
      quote(deps, { productId, country: countryCode, brand, value }, () => listing),
    ]);
    const listed = items.find((item) => item.product_id === productId);
    return {
      quote: wire,
      countryCode,
      priceAtomic,
      // As the wire's number.
      productValue: wire.is_range && value !== undefined ? Number(value) : undefined,
      // The catalog knows the product's kind, and so which kind of recipient it needs.
      kind: PRODUCT_KINDS.find((kind) => kind === listed?.type),
    };
  });
}

/** Writes `25.50` as `25.5`, the form that a JSON number keeps. */
export function canonicalValue(text: string): string {
  return formatDecimal(parseDecimal(text, FACE_DECIMALS), FACE_DECIMALS);
}
