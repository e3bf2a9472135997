/** Finds payments that buyers send directly to an order's address. */
import type { Atomic } from '../domain/money.ts';

/** The part of an order that finding its payment needs. */
export interface WatchedOrder {
  readonly orderId: string;
  /** Address used only by this order; null if a processor takes the payment. */
  readonly address: string | null;
  readonly coin: string;
  /** Name of the network; null if a processor takes the payment. */
  readonly network: string | null;
}

/** An order and what is known to have come in. */
export interface KnownOrder extends WatchedOrder {
  /** In the coin's smallest unit. */
  readonly seenAtomic: Atomic;
  /** Whether all of it is confirmed. */
  readonly isConfirmed: boolean;
}

/** Sums over all transactions, in the coin's smallest unit. */
export interface Receipts {
  /** Confirmed payments; orders are delivered for nothing else. */
  readonly confirmedAtomic: Atomic;
  /** Confirmed payments plus unconfirmed ones, which may still disappear. */
  readonly seenAtomic: Atomic;
  /** Final money on the account that no transaction shown by the node brought; by default none. */
  readonly unexplainedAtomic?: Atomic;
  /** Transaction ids, oldest first. */
  readonly transactions: readonly string[];
}

export interface PaymentWatch {
  /**
   * Returns an order's payments.
   * @throws {ScripError} CHAIN_UNREACHABLE, which says nothing about the payment
   */
  received(order: WatchedOrder): Promise<Receipts>;
  /**
   * Returns the ids of those orders whose receipts may differ from what is known of them; asks for
   * many at once. Undefined if each has to be asked about.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  changed?(orders: readonly KnownOrder[]): Promise<ReadonlySet<string>>;
  /** Undefined if nothing reports payments: orders are then polled in turn. */
  readonly news?: PaymentNews | undefined;
}

/** Ids of the orders that a watch has to be asked about; of all, if it cannot tell them apart. */
export async function changedOrders(
  watch: PaymentWatch,
  orders: readonly KnownOrder[],
): Promise<ReadonlySet<string>> {
  if (watch.changed === undefined) return new Set(orders.map(({ orderId }) => orderId));
  return orders.length === 0 ? new Set() : watch.changed(orders);
}

/** Reports the addresses that received something, so orders need not be polled before. */
export interface PaymentNews {
  /** Whether this order's payments are reported: by this news, or by the code that simulates them. */
  covers(order: WatchedOrder): boolean;
  /**
   * Returns the addresses that received something since a mark, and the next mark. Without a mark
   * it starts at the beginning.
   */
  since(mark: string | undefined): Promise<{
    readonly addresses: readonly string[];
    readonly mark: string;
  }>;
}
