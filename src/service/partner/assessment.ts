/** Finds an order's problems and its price. Pure. */
import { type Coin, type CoinNetwork, coinAmount } from '../../domain/coin.ts';
import { type Atomic, atomic, parseDecimal } from '../../domain/money.ts';
import { type OrderAmounts, summarise } from '../../domain/partner-amounts.ts';
import type { Market } from '../market.ts';
import { discountUsd } from './coupons.ts';
import type { Coupon, PartnerPolicy } from './merchant-rules.ts';
import { type CheckedOrder, type OrderContext, totalPriceUsd } from './order-context.ts';
import { type Suspension, suspension } from './payment-rules.ts';
import { type Problem, redeemableCoupon, validate } from './validation.ts';

/** The facts that the store and the request add to policy and market. */
export interface Circumstances
  extends Pick<OrderContext, 'nowMs' | 'spentUsd' | 'couponUse' | 'store'> {
  readonly policy: PartnerPolicy;
  readonly market: Market;
  /** Amount covered by the request's NFT cards, in the coin's smallest unit. */
  readonly nftAtomic?: Atomic;
}

export interface Assessment {
  /** Refuses the whole request. */
  readonly suspension: Suspension | undefined;
  readonly problems: readonly Problem[];
  /** The coin to pay in; undefined if the market does not have it. */
  readonly coin: Coin | undefined;
  /** Undefined if the via moves the money itself, or the pair is not supported. */
  readonly network: CoinNetwork | undefined;
  /** The coupon that was applied. */
  readonly coupon: Coupon | undefined;
  /** Sums of the lines that could be priced; undefined without a coin. */
  readonly amounts: OrderAmounts | undefined;
}

/**
 * Runs all checks and calculates the price; validation and creation both use it.
 * @throws {ScripError} AMOUNT_INVALID when a sum exceeds 64 bits
 */
export function assess(order: CheckedOrder, circumstances: Circumstances): Assessment {
  const { market } = circumstances;
  const coin = market.coin(order.payment.coin);
  const network = coin && market.network(coin, order.payment.network ?? '');
  const facts = gatherContext(order, circumstances);
  const coupon = redeemableCoupon(order, facts);
  const amounts = coin && priceOrder(order, { coin, coupon, circumstances });
  const payable = coin &&
    amounts && {
      amount: amounts.coinAtomic,
      minimum: parseDecimal((network ?? coin).threshold, coin.decimals),
      decimals: coin.decimals,
    };
  const problems = validate(order, { ...facts, payable });
  return { suspension: suspension(order.payment, facts), problems, coin, network, coupon, amounts };
}

function gatherContext(
  order: CheckedOrder,
  circumstances: Circumstances,
): Omit<OrderContext, 'payable'> {
  const { policy, market, nowMs, spentUsd, couponUse, store } = circumstances;
  const { couponCode, email } = order;
  return {
    nowMs,
    spentUsd,
    couponUse,
    store,
    customer: policy.customer(email),
    limits: policy.limits,
    market,
    coupon: couponCode === undefined ? undefined : policy.coupon(couponCode),
  };
}

interface Pricing {
  readonly coin: Coin;
  readonly coupon: Coupon | undefined;
  readonly circumstances: Circumstances;
}

function priceOrder(order: CheckedOrder, { coin, coupon, circumstances }: Pricing): OrderAmounts {
  const { market, policy, nftAtomic = atomic(0n) } = circumstances;
  const rate = market.picoUsdPer(coin);
  const lines = order.lines.map(({ goods }) => ({
    coinAtomic: coinAmount(goods?.priceUsd ?? atomic(0n), rate, coin.decimals),
    priceUsd: goods?.priceUsd ?? atomic(0n),
    valueUsd: goods?.valueUsd ?? atomic(0n),
  }));
  const { feeBps } = policy.limits;
  return summarise({
    lines,
    decimals: coin.decimals,
    discountUsd: discountUsd(coupon, totalPriceUsd(order)),
    nftAtomic,
    feeBps: Object.hasOwn(feeBps, order.payment.via) ? (feeBps[order.payment.via] ?? 0) : 0,
  });
}
