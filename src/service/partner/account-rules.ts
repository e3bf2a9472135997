/** Rules about the buyer: signed in, identity verified, reviewed by the merchant. */
import { spentThisMonth } from './amount-rules.ts';
import {
  type BuyerContext,
  type Details,
  flaggedLines,
  formatUsd,
  type PricedLines,
  type ProductRule,
  totalUsd,
} from './order-context.ts';

export const loginRequired: ProductRule = (order, { customer }) =>
  customer.isSignedIn ? undefined : flaggedLines(order, 'login');

export const identityMissing: ProductRule = (order, facts) =>
  facts.customer.verification === 'none' ? identityNeeded(order, facts) : undefined;

export const identityPending: ProductRule = (order, facts) =>
  facts.customer.verification === 'pending' ? identityNeeded(order, facts) : undefined;

export const reviewRequired: ProductRule = (order, { customer }) => {
  const flagged = flaggedLines(order, 'verification');
  if (!customer.needsReview) return flagged;
  return { reasons: ['account'], ...flagged };
};

/** Returns why the order needs a verified identity: its products, its amount, or the account. */
function identityNeeded(order: PricedLines, facts: BuyerContext): Details | undefined {
  const products = flaggedLines(order, 'kyc');
  const amount = overUnverifiedLimit(order, facts);
  const reasons = [
    ...(products ? ['products'] : []),
    ...(amount ? ['amount'] : []),
    ...(facts.customer.mustVerify ? ['account'] : []),
  ];
  return reasons.length === 0 ? undefined : { reasons, ...products, ...amount };
}

function overUnverifiedLimit(order: PricedLines, facts: BuyerContext) {
  const limit = facts.limits.unverifiedMonthlyUsd;
  const spent = spentThisMonth(facts);
  if (spent + totalUsd(order) <= limit) return undefined;
  return { limit_usd: formatUsd(limit), spent_usd: formatUsd(spent) };
}
