/** Examines a request: its lines, its problems and its price. */

import type { WireValidationRequest } from '../../contract/partner-orders.ts';
import { type Coin, type CoinNetwork, coinAmount } from '../../domain/money/coin.ts';
import { type Atomic, atomic, parseDecimal } from '../../domain/money/money.ts';
import { type OrderAmounts, summarise } from '../../domain/money/partner-amounts.ts';
import type { Tables } from '../../store/store.ts';
import type { Market } from '../catalog/market.ts';
import { orderLines } from './lines.ts';
import {
  type CheckedOrder,
  type Coupon,
  chosenPayment,
  type OrderContext,
  type OrderLine,
  type PartnerPolicy,
  totalPriceUsd,
} from './order-context.ts';
import type { PartnerOrderDeps } from './order-deps.ts';
import {
  discountUsd,
  type Problem,
  redeemableCoupon,
  type Suspension,
  suspension,
  validate,
} from './rules.ts';

export interface Examined {
  readonly order: CheckedOrder;
  /** Partner id of the caller. */
  readonly applicationId: string;
  /** The problem if the supplier cannot deliver now. */
  readonly supply: Problem | undefined;
}

/**
 * Finds a request's products and asks the supplier whether they are available.
 * @throws {ScripError} MERCHANT_ERROR when the supplier cannot be reached
 */
export async function examine(
  deps: PartnerOrderDeps,
  request: WireValidationRequest,
  applicationId: string,
): Promise<Examined> {
  const { catalog, policy, rates, marginBps, checkBeneficiary } = deps;
  const unpriced = { catalog, policy, rates, checkBeneficiary };
  const priced = marginBps === undefined ? unpriced : { ...unpriced, marginBps };
  const lines = await orderLines(priced, request.deliveries);
  const couponCode = request.coupon_code?.toUpperCase();
  const order = {
    lines,
    payment: chosenPayment(request.payment),
    // An account is its email address, compared in lower case.
    email: request.user?.email.toLowerCase(),
    couponCode: couponCode === '' ? undefined : couponCode,
    nftCards: request.nft_codes?.length ?? 0,
  };
  return { order, applicationId, supply: await checkSupply(deps, lines) };
}

/** Assesses the order against the current state of the store. */
export async function assessNow(
  deps: PartnerOrderDeps,
  tables: Pick<Tables, 'partnerOrders'>,
  { order, applicationId, supply }: Examined,
): Promise<Assessment> {
  const { market, policy } = deps;
  const known = await knownOf(tables, order, deps.clock.now());
  const assessment = assess(order, { ...known, store: applicationId, market, policy });
  const { problems } = assessment;
  // Skip it if the catalog already reports the product as out of stock.
  const isTold = problems.some(({ problem }) => problem === 'OUT_OF_STOCK');
  return supply && !isTold ? { ...assessment, problems: [...problems, supply] } : assessment;
}

type Known = Pick<Circumstances, 'nowMs' | 'spentUsd' | 'couponUse'>;

async function knownOf(
  { partnerOrders }: Pick<Tables, 'partnerOrders'>,
  { email, couponCode }: CheckedOrder,
  nowMs: number,
): Promise<Known> {
  const couponUse =
    couponCode === undefined
      ? { total: 0, byCustomer: 0 }
      : await partnerOrders.couponUse(couponCode, email ?? '');
  return { nowMs, couponUse, spentUsd: await spentUsd({ partnerOrders }, email, nowMs) };
}

/** Returns an account's spending here since midnight and since the first of the month, in UTC. */
export async function spentUsd(
  { partnerOrders }: Pick<Tables, 'partnerOrders'>,
  email: string | undefined,
  nowMs: number,
): Promise<OrderContext['spentUsd']> {
  const now = new Date(nowMs);
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const dayMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const paid = email === undefined ? [] : await partnerOrders.paidBy(email, monthMs);
  return {
    today: sumUsd(paid.filter(({ createdAtMs }) => createdAtMs >= dayMs)),
    thisMonth: sumUsd(paid),
  };
}

function sumUsd(orders: readonly { readonly valueUsd: string }[]): Atomic {
  return atomic(orders.reduce((sum, { valueUsd }) => sum + BigInt(valueUsd), 0n));
}

/** Asks the supplier before payment; skipped if the order has too many products anyway. */
async function checkSupply(
  { supplier, policy }: PartnerOrderDeps,
  lines: readonly OrderLine[],
): Promise<Problem | undefined> {
  if (lines.length > policy.limits.maximumProducts) return undefined;
  const answers = await Promise.all(
    lines.map(({ goods, beneficiary, beneficiaryFault }) =>
      goods === undefined || beneficiaryFault !== undefined
        ? 'available'
        : supplier.check({ product: goods.product, faceValue: goods.faceValue, beneficiary }),
    ),
  );
  const deliveries = lines.flatMap(({ brandName }, index) =>
    answers[index] === 'out_of_stock' ? [{ index, brand_name: brandName }] : [],
  );
  return deliveries.length === 0
    ? undefined
    : { problem: 'OUT_OF_STOCK', moreDetails: { deliveries } };
}

// Finds an order's problems and its price. Pure.

/** The facts that the store and the request add to policy and market. */
interface Circumstances extends Pick<OrderContext, 'nowMs' | 'spentUsd' | 'couponUse' | 'store'> {
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
