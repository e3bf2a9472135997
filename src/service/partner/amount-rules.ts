/** Rules about an order's value and number of products. */
import { type Atomic, atomic, formatDecimal } from '../../domain/money.ts';
import {
  type CheckedOrder,
  type Details,
  flaggedLines,
  formatUsd,
  type OrderContext,
  type Rule,
  totalUsd,
} from './order-context.ts';

/**
 * Ours: compares the amount still to pay, not the products' price, since the minimum is about
 * sending. An order fully covered by coupon and NFT cards needs no payment.
 */
export const belowMinimum: Rule = ({ payment }, { payable }) => {
  if (payable === undefined || payable.amount === 0n || payable.amount >= payable.minimum) {
    return undefined;
  }
  const { amount, minimum, decimals } = payable;
  return {
    coin: payment.coin,
    coin_amount: formatDecimal(amount, decimals),
    minimum_coin_amount: formatDecimal(minimum, decimals),
  };
};

export const aboveMaximum: Rule = (order, { limits }) => {
  const total = totalUsd(order);
  if (total <= limits.maximumUsd) return undefined;
  return { total_usd: formatUsd(total), maximum_usd: formatUsd(limits.maximumUsd) };
};

export const overDailyLimit: Rule = (order, facts) =>
  overLimit(order, facts, facts.spentUsd.today, facts.customer.tier.dailyUsd);

export const overMonthlyLimit: Rule = (order, facts) =>
  overLimit(order, facts, spentThisMonth(facts), facts.customer.tier.monthlyUsd);

export const tooManyProducts: Rule = ({ lines }, { limits }) =>
  lines.length <= limits.maximumProducts
    ? undefined
    : { count: lines.length, maximum: limits.maximumProducts };

export const severalLimitedProducts: Rule = (order) => {
  const limited = flaggedLines(order, 'limited');
  return limited !== undefined && limited.deliveries.length > 1 ? limited : undefined;
};

/** This customer's spending since the first of the month, in 10^-6 USD. */
export function spentThisMonth({
  spentUsd,
  customer,
}: Pick<OrderContext, 'spentUsd' | 'customer'>): Atomic {
  return atomic(spentUsd.thisMonth + customer.spentElsewhereUsd);
}

function overLimit(
  order: CheckedOrder,
  { customer }: OrderContext,
  spent: Atomic,
  limit: Atomic,
): Details | undefined {
  const total = totalUsd(order);
  if (spent + total <= limit) return undefined;
  return {
    tier: customer.tier.name,
    limit_usd: formatUsd(limit),
    spent_usd: formatUsd(spent),
    remaining_usd: formatUsd(atomic(spent < limit ? limit - spent : 0n)),
    total_usd: formatUsd(total),
  };
}
