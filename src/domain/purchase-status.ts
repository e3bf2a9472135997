/** Status of a purchase, as shown to users and scripts. */

export const PURCHASE_STATUSES = [
  'completed',
  'processing',
  'failed',
  'unknown',
  'attention',
  'unpaid',
  'canceled',
  'expired',
  'refunded',
] as const;

export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** Status of a cart line. The worst comes first: a line has the worst status of its items. */
export const LINE_STATUSES = [
  'unknown',
  'attention',
  'failed',
  'unpaid',
  'invalid',
  'open',
  'processing',
  'priced',
  'completed',
] as const;

export type LineStatus = (typeof LINE_STATUSES)[number];
