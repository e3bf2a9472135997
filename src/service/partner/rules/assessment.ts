/** Examines a request: its lines, its problems and its price. */

import type { WireValidationRequest } from '../../../contract/partner-orders.ts';
import { type Coin, type CoinNetwork, coinAmount } from '../../../domain/money/coin.ts';
import { type Atomic, atomic, parseDecimal } from '../../../domain/money/money.ts';
import { type OrderAmounts, summarise } from '../../../domain/money/partner-amounts.ts';
import type { Tables } from '../../../store/store.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
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
import {
  discountUsd,
  type Problem,
  redeemableCoupon,
  type Suspension,
  suspension,
  validate,
} from './rules.ts';

export interface ExaminedOrder extends CheckedOrder {
  /** The problem if the supplier cannot deliver now. */
  readonly supply: Problem | undefined;
}

/**
 * Finds a request's products and asks the supplier whether they are available.
 * @param store partner id of the caller
 * @throws {ScripError} MERCHANT_ERROR when the supplier cannot be reached
 */
export async function examine(
  deps: PartnerOrderDeps,
  request: WireValidationRequest,
  store: string,
): Promise<ExaminedOrder> {
  const lines = await orderLines(deps, request.deliveries);
  return {
    lines,
    payment: chosenPayment(request.payment),
    // An account is its email address, compared in lower case.
    email: request.user?.email.toLowerCase(),
    couponCode: request.coupon_code?.toUpperCase() || undefined,
    nftCards: request.nft_codes?.length ?? 0,
    store,
    supply: await checkSupply(deps, lines),
  };
}

/** Assesses the order against the current state of the store. */
export async function assessNow(
  { market, policy, clock }: PartnerOrderDeps,
  tables: Tables,
  order: ExaminedOrder,
): Promise<Assessment> {
  const { email, couponCode, supply } = order;
  const nowMs = clock.now();
  const couponUse =
    couponCode === undefined
      ? { total: 0, byCustomer: 0 }
      : await tables.partnerOrders.couponUse(couponCode, email ?? '');
  const spent = await spentUsd(tables, email, nowMs);
  const assessment = assess(order, { nowMs, couponUse, spentUsd: spent, market, policy });
  const { problems } = assessment;
  // Skip it if the catalog already reports the product as out of stock.
  const isTold = problems.some(({ problem }) => problem === 'OUT_OF_STOCK');
  return supply && !isTold ? { ...assessment, problems: [...problems, supply] } : assessment;
}

/** Returns an account's spending here since midnight and since the first of the month, in UTC. */
export async function spentUsd(
  { partnerOrders }: Tables,
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

/** The facts that the store adds to policy and market. */
interface Circumstances extends Pick<OrderContext, 'nowMs' | 'spentUsd' | 'couponUse' | 'market'> {
  readonly policy: PartnerPolicy;
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
export function assess(order: CheckedOrder, { policy, ...known }: Circumstances): Assessment {
  const { market } = known;
  const { payment, couponCode } = order;
  const facts = {
    ...known,
    customer: policy.customer(order.email),
    limits: policy.limits,
    coupon: couponCode === undefined ? undefined : policy.coupon(couponCode),
  };
  const coin = market.coin(payment.coin);
  const network = coin && market.network(coin, payment.network ?? '');
  const coupon = redeemableCoupon(order, facts);
  const amounts = coin && priceOrder(order, facts, { coin, coupon });
  const payable = coin &&
    amounts && {
      amount: amounts.coinAtomic,
      minimum: parseDecimal((network ?? coin).threshold, coin.decimals),
      decimals: coin.decimals,
    };
  const problems = validate(order, { ...facts, payable });
  return { suspension: suspension(payment, facts), problems, coin, network, coupon, amounts };
}

function priceOrder(
  order: CheckedOrder,
  { market, limits: { feeBps } }: Pick<OrderContext, 'market' | 'limits'>,
  { coin, coupon }: { readonly coin: Coin; readonly coupon: Coupon | undefined },
): OrderAmounts {
  const rate = market.picoUsdPer(coin);
  const lines = order.lines.map(({ goods }) => ({
    coinAtomic: coinAmount(goods?.priceUsd ?? atomic(0n), rate, coin.decimals),
    priceUsd: goods?.priceUsd ?? atomic(0n),
    valueUsd: goods?.valueUsd ?? atomic(0n),
  }));
  return summarise({
    lines,
    decimals: coin.decimals,
    discountUsd: discountUsd(coupon, totalPriceUsd(order)),
    // No market here takes NFT cards.
    nftAtomic: atomic(0n),
    feeBps: Object.hasOwn(feeBps, order.payment.via) ? (feeBps[order.payment.via] ?? 0) : 0,
  });
}
