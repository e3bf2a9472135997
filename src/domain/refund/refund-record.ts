/** A refund as its operator sees it. */

import type { REFUND_STATES } from '../../contract/order-refunds.ts';

type RefundState = (typeof REFUND_STATES)[number];

/** What a waiting refund waits for; `turn` is the next pass of a server. */
export const REFUND_WAITS = [
  'turn',
  'address',
  'account',
  'approval',
  'operator',
  'limit',
  'balance',
] as const;
type RefundWait = (typeof REFUND_WAITS)[number];

export interface RefundRecord {
  readonly refund_id: string;
  /** Null of money that paid no order. */
  readonly order_id: string | null;
  /** Decimal text, in `coin`. */
  readonly amount: string;
  readonly coin: string;
  /** Null until an address is known. */
  readonly recipient: string | null;
  readonly reason: string;
  readonly state: RefundState;
  /** Null unless it waits. */
  readonly waits_for: RefundWait | null;
  /** Id of the transaction that paid it. */
  readonly transaction: string | null;
  readonly created_at: string;
}

/** Ids hold no spaces, so that they can be typed. */
export function refundIdOf(stored: string): string {
  return stored.replaceAll(' ', ':');
}

export function storedRefundId(id: string): string {
  return id.replaceAll(':', ' ');
}
