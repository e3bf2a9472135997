/** All checks of an order: interface, "Errors", B. Creation and validation use the same ones. */
import { PROBLEM_CODES, type ProblemCode } from '../../contract/codes.ts';
import * as amount from './amount-rules.ts';
import { wrongBeneficiary } from './availability-rules.ts';
import * as coupons from './coupons.ts';
import type { Coupon } from './merchant-rules.ts';
import type { CheckedOrder, Details, OrderContext, Rule } from './order-context.ts';
import * as payment from './payment-rules.ts';
import { PRODUCT_RULES } from './product-rules.ts';

export interface Problem {
  readonly problem: ProblemCode;
  readonly moreDetails: Details;
}

/** The rule of each code; a code without one does not compile. */
export const RULES: Readonly<Record<ProblemCode, Rule>> = {
  ...PRODUCT_RULES,
  AMOUNT_LESS_THEN_MINIMUM_ALLOWED: amount.belowMinimum,
  MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED: amount.aboveMaximum,
  DAILY_SPENDING_LIMIT_EXCEEDED: amount.overDailyLimit,
  MONTHLY_SPENDING_LIMIT_EXCEEDED: amount.overMonthlyLimit,
  PRODUCT_COUNT_EXCEEDED: amount.tooManyProducts,
  MULTIPLE_LIMITED_PRODUCT_SAME_ORDER: amount.severalLimitedProducts,
  INVALID_BENEFICIARY_ACCOUNT: wrongBeneficiary,
  NOT_ALLOWED_PAYMENT_VIA: payment.viaNotAllowed,
  UNSUPPORTED_PROTOCOL_COIN_COMBINATION: payment.pairNotSupported,
  COUPON_REQUIRES_LOGIN: coupons.couponRequiresLogin,
  COUPON_NOT_FOUND: coupons.couponNotFound,
  COUPON_NOT_ACTIVE: coupons.couponNotActive,
  COUPON_ALREADY_SPENT: coupons.couponAlreadySpent,
  COUPON_MAX_USAGE_REACHED: coupons.couponUsedUp,
  COUPON_EXPIRED: coupons.couponExpired,
  COUPON_BELOW_MIN_AMOUNT: coupons.couponBelowMinimum,
  COUPON_NOT_VALID_FOR_USER: coupons.couponForOthers,
  COUPON_NOT_VALID_FOR_CATEGORY: coupons.couponForOtherCategories,
  COUPON_NOT_VALID_FOR_KIND: coupons.couponForOtherKinds,
  COUPON_NOT_VALID_FOR_BRAND: coupons.couponForOtherBrands,
  COUPON_NOT_VALID_FOR_COUNTRY: coupons.couponForOtherCountries,
  COUPON_NOT_VALID_FOR_STORE: coupons.couponForOtherStores,
};

const CODES = Object.keys(PROBLEM_CODES) as readonly ProblemCode[];
const COUPON_CODES = CODES.filter((code) => code.startsWith('COUPON_'));

/** Returns all problems of an order, in the order of the interface's table. */
export function validate(order: CheckedOrder, facts: OrderContext): readonly Problem[] {
  return CODES.flatMap((problem) => {
    const moreDetails = RULES[problem](order, facts);
    return moreDetails === undefined ? [] : [{ problem, moreDetails }];
  });
}

/**
 * Returns the coupon for pricing the order, unless a rule refuses it. Ignores `facts.payable`,
 * which depends on the coupon.
 */
export function redeemableCoupon(
  order: CheckedOrder,
  facts: Omit<OrderContext, 'payable'>,
): Coupon | undefined {
  if (order.couponCode === undefined) return undefined;
  const known = { ...facts, payable: undefined };
  return COUPON_CODES.some((code) => RULES[code](order, known)) ? undefined : facts.coupon;
}
