/**
 * What an order of the partner API costs in its coin. All sums are of whole units of the coin's
 * precision, so that they add up exactly:
 *
 *     before discount = lines + fee
 *     after discount  = before discount - coupon
 *     before discount = in crypto + via NFT cards + via coupon
 *
 * Prices and the fee are rounded up, what is taken off is rounded down.
 */
import type { Infer } from '../contract/endpoint.ts';
import type { orderSummary } from '../contract/partner-orders.ts';
import { type Atomic, atomic, formatDecimal, scaleUp } from './money.ts';

export type OrderSummary = Infer<typeof orderSummary>;

/** One product of an order. */
export interface LinePrice {
  /** In units of 10^-decimals of the coin. */
  readonly coinAtomic: Atomic;
  /** The same price in 10^-6 USD, by which a discount is measured. */
  readonly priceUsd: Atomic;
  /** Value of the face value in 10^-6 USD, by which points are earned. */
  readonly valueUsd: Atomic;
}

export interface OrderPrice {
  readonly lines: readonly LinePrice[];
  /** Decimals in which amounts of the coin are asked for. */
  readonly decimals: number;
  /** What the coupon takes off the sum of the lines' prices, in 10^-6 USD. */
  readonly discountUsd: Atomic;
  /** What NFT cards pay for, in units of 10^-decimals of the coin. */
  readonly nftAtomic: Atomic;
  /** Fee on what is paid in the coin, in hundredths of a percent. */
  readonly feeBps: number;
}

/** What a line costs in the end, and what it earns. */
export interface LineAmounts {
  /** Before and after the line's share of the coupon; the fee is of no line. */
  readonly originalCoinAtomic: Atomic;
  readonly coinAtomic: Atomic;
  readonly points: bigint;
}

export interface OrderAmounts {
  readonly summary: OrderSummary;
  /** What has to be sent, and what would have to be without coupon and NFT cards. */
  readonly coinAtomic: Atomic;
  readonly originalCoinAtomic: Atomic;
  /** Part of both. */
  readonly feeAtomic: Atomic;
  /** Sum of the lines' points. */
  readonly points: bigint;
  /** In the order of the request. */
  readonly lines: readonly LineAmounts[];
}

const BPS = 10_000n;
/** Ours: one point for every whole US dollar of face value. */
const MICROS_PER_POINT = 1_000_000n;

/**
 * Adds an order up.
 * @throws {ScripError} AMOUNT_INVALID when a sum is over 64 bits
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

/** The discount in the coin: of the lines' coin price the part that it is of their price in USD. */
function couponPart({ lines, discountUsd }: OrderPrice, goods: Atomic): Atomic {
  const goodsUsd = sum(lines.map(({ priceUsd }) => priceUsd));
  if (goodsUsd === 0n) return atomic(0n);
  // Compared before it is an amount: a discount far over the price would not be one.
  return discountUsd < goodsUsd ? atomic((goods * discountUsd) / goodsUsd) : goods;
}

/** Divides a part of the total among the lines by their prices, without losing a unit. */
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
