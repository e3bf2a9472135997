/** Invariants by name, where an engine lets writes run beside each other. */

/** What several rows come to together, such as an order, or the uses of a coupon. */
export type Invariant = `${Kind} ${string}`;

type Kind =
  /** Row, lines, events, webhooks and refunds of an order. */
  | 'order'
  /** One settlement each. */
  | 'session'
  | 'message'
  | 'payment'
  /** One order each. */
  | 'key'
  /** What limits count: spending by e-mail, uses of a coupon, unpaid orders, failures, fees, sessions. */
  | 'customer'
  | 'coupon'
  | 'partner'
  | 'payer'
  | 'caller'
  | 'client'
  /** One purchase for each reference. */
  | 'purchase'
  | 'fact';

export interface Holds {
  /**
   * Until the write ends no other write takes the same names: it waits for them here, and then reads
   * what the other left. Take all that is known at once, before the first read; an order before what
   * its change counts for. Does nothing where writes run one after another, or outside of one.
   */
  take(...names: readonly Invariant[]): Promise<void>;
}
