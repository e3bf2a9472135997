/** Rules about products and their buyers, shared by the partner API and the checkout host. Pure. */
import type { ProblemCode } from '../../contract/codes.ts';
import * as account from './account-rules.ts';
import * as availability from './availability-rules.ts';
import type { BuyerContext, Details, PricedLines, ProductRule } from './order-context.ts';

/** Rules that depend only on the product. */
const OF_PRODUCT = {
  NOT_AVAILABLE_PRODUCT: availability.notInCatalog,
  OUT_OF_STOCK: availability.outOfStock,
  NOT_ACTIVE: availability.inactive,
} as const satisfies Partial<Record<ProblemCode, (order: PricedLines) => Details | undefined>>;

/** Rules that also depend on the buyer. */
const OF_BUYER = {
  LOGIN_REQUIRED: account.loginRequired,
  KYC_MISSING: account.identityMissing,
  KYC_PENDING: account.identityPending,
  VERIFICATION_REQUIRED: account.reviewRequired,
} as const satisfies Partial<Record<ProblemCode, ProductRule>>;

/** In the order of the interface's table. */
export const PRODUCT_RULES = { ...OF_PRODUCT, ...OF_BUYER };

export type ProductProblemCode = keyof typeof PRODUCT_RULES;

export interface ProductProblem {
  readonly problem: ProductProblemCode;
  readonly moreDetails: Details;
}

/** Returns the first problem; without a known buyer, checks only the products. */
export function firstProductProblem(
  order: PricedLines,
  buyer: BuyerContext | undefined,
): ProductProblem | undefined {
  for (const [problem, rule] of entriesOf(OF_PRODUCT)) {
    const moreDetails = rule(order);
    if (moreDetails !== undefined) return { problem, moreDetails };
  }
  if (buyer === undefined) return undefined;
  for (const [problem, rule] of entriesOf(OF_BUYER)) {
    const moreDetails = rule(order, buyer);
    if (moreDetails !== undefined) return { problem, moreDetails };
  }
  return undefined;
}

function entriesOf<K extends string, V>(table: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(table) as [K, V][];
}
