/** Input of an order's rules: the priced order and its context. */
import type { WirePayment } from '../../contract/partner-orders.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money.ts';
import type { Product } from '../../domain/product.ts';
import type { Market } from '../market.ts';
import type { Coupon, CouponUse, Customer, OrderLimits, ProductFlag } from './merchant-rules.ts';

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
  readonly market: Pick<Market, 'vias' | 'via' | 'coin' | 'isSuspended' | 'isSuspendedNetwork'>;
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
  /** Partner id of the order. */
  readonly store: string;
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
