/** What each kind of merchant can; nothing else tells them apart before one is asked. */

import type { Abilities } from './merchant.ts';

/** It is paid first, and has one thing in an order. */
export const CHECKOUT: Abilities = {
  ordersFirst: false,
  takes: new Set(),
  needs: ['country', 'brand'],
};

/** It takes the order first; then it is paid, from this wallet or another, in its coins. */
export const PARTNER: Abilities = {
  ordersFirst: true,
  takes: new Set(['quantity', 'coupon', 'coin', 'paymentVia', 'refundAddress'] as const),
  needs: [],
};

/** By the name of the merchant. */
export const ABILITIES = { checkout: CHECKOUT, partner: PARTNER } as const;
