/**
 * The cost of a partner API order in its coin. All sums are integers in the coin's precision, so that they
 * add up exactly:
 *
 *     before discount = lines + fee
 *     after discount  = before discount - coupon
 *     before discount = in crypto + via NFT cards + via coupon
 *
 * Rounds prices and the fee up, deductions down.
 */

import type { Infer } from '../../contract/endpoint.ts';
import type { orderSummary } from '../../contract/partner-orders.ts';
import { type Atomic, atomic, formatDecimal, scaleUp } from './money.ts';

export type OrderSummary = Infer<typeof orderSummary>;

/** One product of an order. */
interface LinePrice {
  /** In units of 10^-decimals of the coin. */
  readonly coinAtomic: Atomic;
  /** The same price in 10^-6 USD, on which a discount is computed. */
  readonly priceUsd: Atomic;
  /** Face value in 10^-6 USD, on which points are computed. */
  readonly valueUsd: Atomic;
}

export interface OrderPrice {
  readonly lines: readonly LinePrice[];
  /** Decimals of the coin's requested amounts. */
  readonly decimals: number;
  /** Coupon discount on the sum of the line prices, in 10^-6 USD. */
  readonly discountUsd: Atomic;
  /** Amount paid with NFT cards, in units of 10^-decimals of the coin. */
  readonly nftAtomic: Atomic;
  /** Fee on the amount paid in the coin, in hundredths of a percent. */
  readonly feeBps: number;
}

/** A line's final price and points. */
interface LineAmounts {
  /** The line's amount before and after its share of the coupon, both without fees. */
  readonly originalCoinAtomic: Atomic;
  readonly coinAtomic: Atomic;
  readonly points: bigint;
}

export interface OrderAmounts {
  readonly summary: OrderSummary;
  /** Amount to send, and the amount without coupon and NFT cards. */
  readonly coinAtomic: Atomic;
  readonly originalCoinAtomic: Atomic;
  /** Included in both. */
  readonly feeAtomic: Atomic;
  /** Sum of the lines' points. */
  readonly points: bigint;
  /** In the order of the request. */
  readonly lines: readonly LineAmounts[];
}

const BPS = 10_000n;
/** Ours: one point per whole US dollar of face value. */
const MICROS_PER_POINT = 1_000_000n;

/**
 * Computes the amounts of an order.
 * @throws {ScripError} AMOUNT_INVALID when a sum exceeds 64 bits
 */
export function summarise(price: OrderPrice): OrderAmounts {
  const { lines, decimals, feeBps } = price;
  const goods = sum(lines.map(({ coinAtomic }) => coinAtomic));
  const coupon = couponPart(price, goods);
  const nft = smaller(price.nftAtomic, atomic(goods - coupon));
  const fee = scaleUp(atomic(goods - coupon - nft), BigInt(feeBps), BPS);
  const before = atomic(goods + fee);
  const inCrypto = atomic(before - coupon - nft);
  const text = (amount: Atomic) => formatDecimal(amount, decimals);
  const shares = share(coupon, lines);
  const lineAmounts = lines.map((line, index) => amountsOf(line, shares[index] ?? 0n));
  return {
    summary: {
      coin_amount_before_discount: text(before),
      coin_amount_after_discount: text(atomic(before - coupon)),
      coin_amount_to_pay_in_crypto: text(inCrypto),
      coin_amount_to_pay_via_nft: text(nft),
      coin_amount_to_pay_via_coupon: text(coupon),
    },
    coinAtomic: inCrypto,
    originalCoinAtomic: before,
    feeAtomic: fee,
    points: lineAmounts.reduce((total, { points }) => total + points, 0n),
    lines: lineAmounts,
  };
}

/** The discount in the coin: the same fraction of the lines' coin price as of their price in USD. */
function couponPart({ lines, discountUsd }: OrderPrice, goods: Atomic): Atomic {
  const goodsUsd = sum(lines.map(({ priceUsd }) => priceUsd));
  if (goodsUsd === 0n) return atomic(0n);
  // Compare first: the product with a discount far above the price could exceed 64 bits.
  return discountUsd < goodsUsd ? atomic((goods * discountUsd) / goodsUsd) : goods;
}

/** Divides an amount among the lines in proportion to their prices, without losing a unit. */
function share(part: Atomic, lines: readonly LinePrice[]): readonly bigint[] {
  const total = sum(lines.map(({ coinAtomic }) => coinAtomic));
  if (total === 0n) return lines.map(() => 0n);
  let seen = 0n;
  let given = 0n;
  return lines.map(({ coinAtomic }) => {
    seen += coinAtomic;
    const due = (part * seen) / total - given;
    given += due;
    return due;
  });
}

function amountsOf({ coinAtomic, valueUsd }: LinePrice, discount: bigint): LineAmounts {
  return {
    originalCoinAtomic: coinAtomic,
    coinAtomic: atomic(coinAtomic - discount),
    points: valueUsd / MICROS_PER_POINT,
  };
}

function sum(amounts: readonly Atomic[]): Atomic {
  return atomic(amounts.reduce((total: bigint, amount) => total + amount, 0n));
}

function smaller(one: Atomic, other: Atomic): Atomic {
  return one < other ? one : other;
}
