/** What the rules of an order look at: the order, priced, and what is known about its surroundings. */
import type { WirePayment } from '../../contract/partner-orders.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money.ts';
import type { Product } from '../../domain/product.ts';
import type { Coupon, CouponUse, Customer, OrderLimits, ProductFlag } from './merchant-rules.ts';

const USD_DECIMALS = 6;

/** A product as one line buys it. */
export interface PricedProduct {
  readonly product: Product;
  /** In 10^-6 of the product's currency. */
  readonly faceValue: Atomic;
  /** Value of the face value, in 10^-6 USD: what limits are counted in. */
  readonly valueUsd: Atomic;
  /** What the merchant asks for it, in 10^-6 USD: what discounts are taken off. */
  readonly priceUsd: Atomic;
  readonly flags: readonly ProductFlag[];
}

/** One product for one beneficiary; a quantity is as many lines. */
export interface OrderLine {
  readonly brandName: string;
  /** Lowercase. */
  readonly countryCode: string;
  /** As it is delivered to, or as it was written when something is wrong with it. */
  readonly beneficiary: string;
  /** Why the beneficiary is refused. */
  readonly beneficiaryFault?: string;
  /** Undefined when the catalog has nothing like it. */
  readonly goods: PricedProduct | undefined;
  /** Why there are no goods. */
  readonly goodsFault?: string;
}

/** How the buyer wants to pay; there is no network where the via itself moves the money. */
export interface ChosenPayment {
  readonly via: string;
  readonly coin: string;
  readonly network: string | undefined;
}

export interface CheckedOrder {
  readonly lines: readonly OrderLine[];
  readonly payment: ChosenPayment;
  /** Undefined in a validation without a user. */
  readonly email: string | undefined;
  readonly couponCode: string | undefined;
  /** How many NFT cards are to pay for a part of it. */
  readonly nftCards: number;
}

/** A payment via with what can be paid through it; no network where the via moves the money. */
export interface ViaOffer {
  readonly name: string;
  readonly pairs: readonly { readonly coin: string; readonly network?: string }[];
}

export interface OrderContext {
  readonly nowMs: number;
  readonly customer: Customer;
  /** Of this customer before this order, in 10^-6 USD: since midnight and since the first, in UTC. */
  readonly spentUsd: { readonly today: Atomic; readonly thisMonth: Atomic };
  readonly limits: OrderLimits;
  readonly vias: readonly ViaOffer[];
  readonly suspended: { readonly coins: readonly string[]; readonly networks: readonly string[] };
  /**
   * What is left to pay in the coin, and the least that may be sent, in units of 10^-decimals;
   * undefined when the coin has no rate, or nothing could be priced.
   */
  readonly payable:
    | { readonly amount: Atomic; readonly minimum: Atomic; readonly decimals: number }
    | undefined;
  /** The coupon of the order's code, when there is one, and how often it was used before. */
  readonly coupon: Coupon | undefined;
  readonly couponUse: CouponUse;
  /** The partner id that the order came in with. */
  readonly store: string;
}

/** What a rule says about a broken order, for `moreDetails`: places count from 0. */
export type Details = Readonly<Record<string, unknown>> | readonly unknown[];

/** Looks at one thing; undefined when nothing is wrong with it. */
export type Rule = (order: CheckedOrder, facts: OrderContext) => Details | undefined;

/** What is bought, without how it is paid: both sides of the service know it. */
export type PricedLines = Pick<CheckedOrder, 'lines'>;
/** What is known of who buys. */
export type BuyerContext = Pick<OrderContext, 'customer' | 'limits' | 'spentUsd'>;

/** A rule that holds whichever side an order comes in by. */
export type ProductRule = (order: PricedLines, facts: BuyerContext) => Details | undefined;

/** Reads the interface's two forms of a payment into one. */
export function chosenPayment(payment: WirePayment): ChosenPayment {
  if (payment.type === 'binance_pay') {
    return { via: payment.type, coin: payment.coin, network: undefined };
  }
  return { via: payment.payment_via, coin: payment.coin, network: payment.network };
}

/** Value of everything that could be priced, in 10^-6 USD. */
export function totalUsd({ lines }: PricedLines): Atomic {
  return atomic(lines.reduce((sum, { goods }) => sum + (goods?.valueUsd ?? 0n), 0n));
}

/** Price of the same, in 10^-6 USD. */
export function totalPriceUsd({ lines }: PricedLines): Atomic {
  return atomic(lines.reduce((sum, { goods }) => sum + (goods?.priceUsd ?? 0n), 0n));
}

/** Writes 10^-6 USD as people do: `25.00`. */
export function formatUsd(amount: Atomic): string {
  return formatDecimal(amount, USD_DECIMALS, 2);
}

/** The lines that something is wrong with, by their places; undefined when there are none. */
export function faultyLines(
  { lines }: PricedLines,
  faultOf: (line: OrderLine) => boolean | string | undefined,
): { readonly deliveries: readonly Details[] } | undefined {
  const deliveries = lines.flatMap((line, index) => {
    const fault = faultOf(line);
    if (fault === undefined || fault === false) return [];
    const reason = typeof fault === 'string' ? { reason: fault } : {};
    return [{ index, brand_name: line.brandName, ...reason }];
  });
  return deliveries.length === 0 ? undefined : { deliveries };
}

/** The lines whose product is set apart by a flag. */
export function flaggedLines(order: PricedLines, flag: ProductFlag) {
  return faultyLines(order, ({ goods }) => goods?.flags.includes(flag));
}
