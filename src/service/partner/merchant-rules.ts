/** The merchant's policy: limits, tiers, customers, flagged products and coupons. */
import type { Atomic } from '../../domain/money.ts';
import type { Product, ProductKind } from '../../domain/product.ts';

/** Limits of all orders; USD amounts in 10^-6 USD. Ours: the interface does not show them. */
export interface OrderLimits {
  readonly maximumUsd: Atomic;
  readonly maximumProducts: number;
  /** Monthly spending limit of an account without verified identity. */
  readonly unverifiedMonthlyUsd: Atomic;
  /** Fee on the paid amount, in hundredths of a percent, by payment via; 0 if not set. */
  readonly feeBps: Readonly<Record<string, number>>;
}

/** Spending limits of an account, in 10^-6 USD. */
export interface Tier {
  readonly name: string;
  readonly dailyUsd: Atomic;
  readonly monthlyUsd: Atomic;
}

export interface Customer {
  readonly tier: Tier;
  readonly isSignedIn: boolean;
  readonly verification: 'none' | 'pending' | 'verified';
  /** Whether this account must verify its identity before buying anything. */
  readonly mustVerify: boolean;
  /** Whether the merchant reviews every order of this account first. */
  readonly needsReview: boolean;
  /** Spent this month outside this store, in 10^-6 USD. */
  readonly spentElsewhereUsd: Atomic;
}

/** A restriction on a product. */
export type ProductFlag =
  | 'withdrawn'
  | 'out_of_stock'
  | 'inactive'
  | 'limited'
  | 'login'
  | 'kyc'
  | 'verification';

/** A percentage in hundredths of a percent, or an amount in 10^-6 USD. */
export type Discount =
  | { readonly kind: 'percentage'; readonly bps: number }
  | { readonly kind: 'fixed'; readonly usd: Atomic };

/** An omitted list allows everything. Text is compared ignoring case. */
export interface Coupon {
  readonly code: string;
  readonly discount: Discount;
  readonly startsAtMs?: number;
  /** The coupon is refused from this instant on. */
  readonly endsAtMs?: number;
  /** Over all customers. */
  readonly maximumUses?: number;
  readonly usesPerCustomer: number;
  /** Minimum order total, in 10^-6 USD. */
  readonly minimumUsd?: Atomic;
  readonly categories?: readonly string[];
  readonly kinds?: readonly ProductKind[];
  readonly brands?: readonly string[];
  readonly countries?: readonly string[];
  /** Partner ids: each partner is a store. */
  readonly stores?: readonly string[];
  /** Email addresses. */
  readonly customers?: readonly string[];
  readonly requiresLogin: boolean;
  /** Uses outside this store: in total, and per customer. */
  readonly usedElsewhere: CouponUse;
}

export interface CouponUse {
  readonly total: number;
  readonly byCustomer: number;
}

export interface PartnerPolicy {
  readonly limits: OrderLimits;
  /** Returns the account of an email address; a default account without one. */
  customer(email: string | undefined): Customer;
  flagsOf(product: Product, faceValue: Atomic): readonly ProductFlag[];
  /** Finds a coupon by its code, in any case. */
  coupon(code: string): Coupon | undefined;
}
