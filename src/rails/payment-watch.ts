/** What has come in for an order that its buyer pays directly to an address. */
import type { Atomic } from '../domain/money.ts';

/** An order as far as looking for its payment needs it. */
export interface WatchedOrder {
  readonly orderId: string;
  /** Address of this order alone; null where a processor takes the payment. */
  readonly address: string | null;
  readonly coin: string;
  /** Name of the network; null where a processor takes the payment. */
  readonly network: string | null;
}

/** Amounts are in units of the coin's precision, all transactions together. */
export interface Receipts {
  /** What can be relied on; nothing else is ever delivered for. */
  readonly confirmedAtomic: Atomic;
  /** The same with what was seen and may still vanish. */
  readonly seenAtomic: Atomic;
  /** Transaction ids, oldest first. */
  readonly transactions: readonly string[];
}

export interface PaymentWatch {
  /** @throws {ScripError} CHAIN_UNREACHABLE: nothing may be concluded from that */
  received(order: WatchedOrder): Promise<Receipts>;
  /** Left out where nothing tells of payments: orders are then looked at in turn. */
  readonly news?: PaymentNews | undefined;
}

/** Tells which addresses got something, so that an order need not be looked at until then. */
export interface PaymentNews {
  /** Whether payments of the order are told, by these news or by who plays them. */
  covers(order: WatchedOrder): boolean;
  /**
   * The addresses that something came in to after a mark, and the mark to go on from. Without a mark
   * from the beginning on.
   */
  since(mark: string | undefined): Promise<{
    readonly addresses: readonly string[];
    readonly mark: string;
  }>;
}
