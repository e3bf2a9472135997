/** Category slugs, the product kind of each, and the family of each kind. */

import type { ProductKind } from './product.ts';

/** Product kind of each category. The keys are all slugs, in display order. */
export const CATEGORY_KINDS = {
  'e-commerce': 'giftcard',
  retail: 'giftcard',
  electronics: 'giftcard',
  food: 'giftcard',
  groceries: 'giftcard',
  games: 'giftcard',
  entertainment: 'giftcard',
  streaming: 'giftcard',
  apparel_clothing: 'giftcard',
  health_beauty: 'giftcard',
  sports_fitness: 'giftcard',
  travel_flights: 'giftcard',
  home: 'giftcard',
  'e-money': 'giftcard',
  'e-sim': 'esim',
  mobile_talk_time: 'mobile_topup',
  mobile_credits: 'mobile_topup',
  mobile_bundle: 'mobile_topup',
  charity_donations: 'other',
  other_products: 'other',
} as const satisfies Record<string, ProductKind>;

export type Category = keyof typeof CATEGORY_KINDS;

export const CATEGORIES = Object.keys(CATEGORY_KINDS) as readonly Category[];

/** Returns the product kind of a category slug; undefined for an unknown slug. */
export function kindOfCategory(category: string): ProductKind | undefined {
  return Object.hasOwn(CATEGORY_KINDS, category) ? CATEGORY_KINDS[category as Category] : undefined;
}

/** Family name of each kind. Ours: the interface gives gift cards and mobile recharge only as examples. */
export const FAMILIES = {
  giftcard: 'Gift Cards',
  mobile_topup: 'Mobile Recharge',
  esim: 'eSIM',
  other: 'Other',
} as const satisfies Record<ProductKind, string>;
