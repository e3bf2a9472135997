/** How goods are sorted: category slugs, the kind of product each holds, and families by kind. */
import type { ProductKind } from './product.ts';

/** Kind of the products of a category; its keys are all the slugs there are, in display order. */
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

/** Kind of a category slug; undefined for one that is not ours. */
export function kindOfCategory(category: string): ProductKind | undefined {
  return Object.hasOwn(CATEGORY_KINDS, category) ? CATEGORY_KINDS[category as Category] : undefined;
}

/** The family of each kind. Ours: the interface names gift cards and mobile recharge as examples. */
export const FAMILIES = {
  giftcard: 'Gift Cards',
  mobile_topup: 'Mobile Recharge',
  esim: 'eSIM',
  other: 'Other',
} as const satisfies Record<ProductKind, string>;
