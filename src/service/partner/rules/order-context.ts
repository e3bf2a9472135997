/** Input of an order's rules: the priced order, its context and the merchant's policy. */

import type { WirePayment } from '../../../contract/partner-orders.ts';
import { type Atomic, atomic, formatDecimal } from '../../../domain/money/money.ts';
import type { Product, ProductKind } from '../../../domain/product/product.ts';
import type { Market } from '../../catalog/market.ts';

const USD_DECIMALS = 6;

/** A product as one line buys it. */
export interface PricedProduct {
  readonly product: Product;
  /** In 10^-6 of the product's currency. */
  readonly faceValue: Atomic;
  /** The face value in 10^-6 USD; limits use it. */
  readonly valueUsd: Atomic;
  /** The merchant's price in 10^-6 USD; discounts apply to it. */
  readonly priceUsd: Atomic;
  readonly flags: readonly ProductFlag[];
  /** As of a priced line. */
  readonly rate?: string | undefined;
}

/** One product for one beneficiary; a quantity becomes several lines. */
export interface OrderLine {
  readonly brandName: string;
  /** Lowercase. */
  readonly countryCode: string;
  /** Normalized for delivery, or the request's text if it is faulty. */
  readonly beneficiary: string;
  /** Why the beneficiary is refused. */
  readonly beneficiaryFault?: string;
  /** Undefined if the catalog has no such product. */
  readonly goods: PricedProduct | undefined;
  /** Why there is no product. */
  readonly goodsFault?: string;
}

/** The chosen payment; no network if the via moves the money itself. */
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
  /** Number of NFT cards that pay for part of it. */
  readonly nftCards: number;
  /** Partner id of the order. */
  readonly store: string;
}

export interface OrderContext {
  readonly nowMs: number;
  readonly customer: Customer;
  /**
   * The customer's spending before this order, in 10^-6 USD: since midnight and since the first of
   * the month, in UTC.
   */
  readonly spentUsd: { readonly today: Atomic; readonly thisMonth: Atomic };
  readonly limits: OrderLimits;
  readonly market: Market;
  /**
   * The amount to pay in the coin and the minimum that may be sent, in units of 10^-decimals;
   * undefined if the coin has no rate, or nothing could be priced.
   */
  readonly payable:
    | { readonly amount: Atomic; readonly minimum: Atomic; readonly decimals: number }
    | undefined;
  /** The coupon of the order's code, if it exists, and how often it was used before. */
  readonly coupon: Coupon | undefined;
  readonly couponUse: CouponUse;
}

/** A rule's explanation for `moreDetails`; indexes count from 0. */
export type Details = Readonly<Record<string, unknown>> | readonly unknown[];

/** Checks one thing; undefined if nothing is wrong. */
export type Rule = (order: CheckedOrder, facts: OrderContext) => Details | undefined;

/** The products without the payment: both surfaces have them. */
export type PricedLines = Pick<CheckedOrder, 'lines'>;
/** What is known of the buyer. */
export type BuyerContext = Pick<OrderContext, 'customer' | 'limits' | 'spentUsd'>;

/** A rule for orders of both surfaces. */
export type ProductRule = (order: PricedLines, facts: BuyerContext) => Details | undefined;

/** Converts the interface's two forms of a payment to one. */
export function chosenPayment(payment: WirePayment): ChosenPayment {
  if (payment.type === 'binance_pay') {
    return { via: payment.type, coin: payment.coin, network: undefined };
  }
  return { via: payment.payment_via, coin: payment.coin, network: payment.network };
}

/** Value of all lines that could be priced, in 10^-6 USD. */
export function totalUsd({ lines }: PricedLines): Atomic {
  return atomic(lines.reduce((sum, { goods }) => sum + (goods?.valueUsd ?? 0n), 0n));
}

/** Price of the same lines, in 10^-6 USD. */
export function totalPriceUsd({ lines }: PricedLines): Atomic {
  return atomic(lines.reduce((sum, { goods }) => sum + (goods?.priceUsd ?? 0n), 0n));
}

/** Formats 10^-6 USD: `25.00`. */
export function formatUsd(amount: Atomic): string {
  return formatDecimal(amount, USD_DECIMALS, 2);
}

/** Lists the faulty lines by index; undefined if there are none. */
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

/** Lists the lines whose product has a flag. */
export function flaggedLines(order: PricedLines, flag: ProductFlag) {
  return faultyLines(order, ({ goods }) => goods?.flags.includes(flag));
}

// The merchant's policy: limits, tiers, customers, flagged products and coupons.

/** Limits of all orders; USD amounts in 10^-6 USD. Ours: the interface does not show them. */
interface OrderLimits {
  readonly maximumUsd: Atomic;
  readonly maximumProducts: number;
  /** Monthly spending limit of an account without verified identity. */
  readonly unverifiedMonthlyUsd: Atomic;
  /** Fee on the paid amount, in hundredths of a percent, by payment via; 0 if not set. */
  readonly feeBps: Readonly<Record<string, number>>;
}

/** Spending limits of an account, in 10^-6 USD. */
interface Tier {
  readonly name: string;
  readonly dailyUsd: Atomic;
  readonly monthlyUsd: Atomic;
}

export interface Customer {
  readonly tier: Tier;
  readonly isSignedIn: boolean;
  readonly verification: 'none' | 'pending' | 'verified';
  /** Whether this account must verify its identity before buying anything. */
  readonly mustVerify: boolean;
  /** Whether the merchant reviews every order of this account first. */
  readonly needsReview: boolean;
  /** Spent this month outside this store, in 10^-6 USD. */
  readonly spentElsewhereUsd: Atomic;
}

/** A restriction on a product. */
export type ProductFlag =
  | 'withdrawn'
  | 'out_of_stock'
  | 'inactive'
  | 'limited'
  | 'login'
  | 'kyc'
  | 'verification';

/** A percentage in hundredths of a percent, or an amount in 10^-6 USD. */
type Discount =
  | { readonly kind: 'percentage'; readonly bps: number }
  | { readonly kind: 'fixed'; readonly usd: Atomic };

/** An omitted list allows everything. Text is compared ignoring case. */
export interface Coupon {
  readonly code: string;
  readonly discount: Discount;
  readonly startsAtMs?: number;
  /** The coupon is refused from this instant on. */
  readonly endsAtMs?: number;
  /** Over all customers. */
  readonly maximumUses?: number;
  readonly usesPerCustomer: number;
  /** Minimum order total, in 10^-6 USD. */
  readonly minimumUsd?: Atomic;
  readonly categories?: readonly string[];
  readonly kinds?: readonly ProductKind[];
  readonly brands?: readonly string[];
  readonly countries?: readonly string[];
  /** Partner ids: each partner is a store. */
  readonly stores?: readonly string[];
  /** Email addresses. */
  readonly customers?: readonly string[];
  readonly requiresLogin: boolean;
  /** Uses outside this store: in total, and per customer. */
  readonly usedElsewhere: CouponUse;
}

interface CouponUse {
  readonly total: number;
  readonly byCustomer: number;
}

export interface PartnerPolicy {
  readonly limits: OrderLimits;
  /** Returns the account of an email address; a default account without one. */
  customer(email: string | undefined): Customer;
  flagsOf(product: Product, faceValue: Atomic): readonly ProductFlag[];
  /** Finds a coupon by its code, in any case. */
  coupon(code: string): Coupon | undefined;
}
