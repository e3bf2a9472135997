/** What the merchant's rules are set to: limits, tiers, customers, flagged products and coupons. */
import type { Atomic } from '../../domain/money.ts';
import type { Product, ProductKind } from '../../domain/product.ts';

/** Ceilings of all orders; USD amounts in 10^-6 USD. Ours: the interface does not show them. */
export interface OrderLimits {
  readonly maximumUsd: Atomic;
  readonly maximumProducts: number;
  /** What an account without verified identity may spend in a month. */
  readonly unverifiedMonthlyUsd: Atomic;
  /** Fee on what is paid in coins, in hundredths of a percent, by payment via; 0 where none is set. */
  readonly feeBps: Readonly<Record<string, number>>;
}

/** How much an account may spend, in 10^-6 USD. */
export interface Tier {
  readonly name: string;
  readonly dailyUsd: Atomic;
  readonly monthlyUsd: Atomic;
}

export interface Customer {
  readonly tier: Tier;
  readonly isSignedIn: boolean;
  readonly verification: 'none' | 'pending' | 'verified';
  /** Whether this account may buy nothing before its identity is verified. */
  readonly mustVerify: boolean;
  /** Whether the merchant wants to see more before any order of this account. */
  readonly needsReview: boolean;
  /** Spent this month where the store does not know of it, in 10^-6 USD. */
  readonly spentElsewhereUsd: Atomic;
}

/** What sets a product apart from the others of the catalog. */
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

/** A list that is left out allows everything. Texts are compared exactly but for case. */
export interface Coupon {
  readonly code: string;
  readonly discount: Discount;
  readonly startsAtMs?: number;
  /** First instant at which it is no longer taken. */
  readonly endsAtMs?: number;
  /** Orders of all customers together. */
  readonly maximumUses?: number;
  readonly usesPerCustomer: number;
  /** Smallest order total, in 10^-6 USD. */
  readonly minimumUsd?: Atomic;
  readonly categories?: readonly string[];
  readonly kinds?: readonly ProductKind[];
  readonly brands?: readonly string[];
  readonly countries?: readonly string[];
  /** Partner ids: each partner is a store. */
  readonly stores?: readonly string[];
  /** E-mail addresses. */
  readonly customers?: readonly string[];
  readonly requiresLogin: boolean;
  /** Uses that the store does not know of: in all, and by every customer. */
  readonly usedElsewhere: CouponUse;
}

export interface CouponUse {
  readonly total: number;
  readonly byCustomer: number;
}

export interface PartnerPolicy {
  readonly limits: OrderLimits;
  /** The account behind an address; a stranger's when there is no address. */
  customer(email: string | undefined): Customer;
  flagsOf(product: Product, faceValue: Atomic): readonly ProductFlag[];
  /** By its code in any case; undefined when there is no such coupon. */
  coupon(code: string): Coupon | undefined;
}
