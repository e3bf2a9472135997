/** What each kind of merchant supports, known before any request. */

import type { Abilities } from './merchant.ts';

/** The checkout host is paid first; an order holds one product. */
export const CHECKOUT: Abilities = {
  ordersFirst: false,
  takes: new Set(),
  needs: ['brand'],
};

/** The partner API creates the order first; this wallet or another then pays it, in several coins. */
export const PARTNER: Abilities = {
  ordersFirst: true,
  takes: new Set(['quantity', 'coupon', 'coin', 'paymentVia', 'refundAddress'] as const),
  needs: [],
};

/** By the merchant's name. */
export const ABILITIES = { checkout: CHECKOUT, partner: PARTNER } as const;
