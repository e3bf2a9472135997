/** How far a purchase has come, as it is shown and handed to scripts. */

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

/** Of a line of a cart. The worst first: a line is told of by the worst of its items. */
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
