/** What a write says of itself: what it locks, and whether it is one statement. */

export interface WriteOptions {
  /**
   * The work calls one method of one table, and that changes rows by one statement: such a statement
   * commits by itself where begin and commit would cost a trip to the server each.
   */
  readonly isSingle?: boolean;
}

export const SINGLE: WriteOptions = { isSingle: true };

/** What a write locks for engines that run writes in parallel: a property of several rows, such as an order or the uses of a coupon. */
export type Invariant = `${Kind} ${string}`;

type Kind =
  /** An order's row, lines, events, webhooks and refunds. */
  | 'order'
  /** At most one settlement each. */
  | 'session'
  | 'message'
  | 'payment'
  /** At most one order each. */
  | 'key'
  /** What limits count: spending per email, uses of a coupon, unpaid orders, failures, fees, sessions. */
  | 'customer'
  | 'coupon'
  | 'partner'
  | 'payer'
  | 'caller'
  | 'client'
  /** One purchase per reference. */
  | 'purchase'
  | 'fact';

export interface Holds {
  /**
   * Locks these names until the write ends: it waits for writes that hold one of them, so later
   * reads see their result. Take all known names at once, before the first read; take an order
   * before the limits that it counts for. Does nothing outside a write, or on an engine that runs
   * one write at a time.
   */
  take(...names: readonly Invariant[]): Promise<void>;
}
