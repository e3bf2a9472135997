/** Payments of orders that the fee payer has signed for a buyer's wallet (Solana Pay, transaction request). */
import type { DueWork } from './due-work.ts';

export interface PaymentRequestRow {
  readonly messageHash: string;
  readonly orderId: string;
  /** The wallet that pays. */
  readonly account: string;
  /** Digits, in the smallest units of the order's coin. */
  readonly amountAtomic: string;
  /** Id that the transaction has on the chain. */
  readonly transaction: string;
  /** Base64 of the transaction without the buyer's signature. */
  readonly wire: string;
  /** Digits: the network fee if it lands. */
  readonly lamports: string;
  readonly lastValidBlockHeight: number;
  readonly state: 'live' | 'landed' | 'failed' | 'expired';
  readonly createdAtMs: number;
  /** When to ask the chain about it; null once it is decided. */
  readonly nextLookAtMs: number | null;
}

/** Due is what is `live`. */
export interface PaymentRequests extends DueWork<PaymentRequestRow> {
  insert(row: PaymentRequestRow): Promise<void>;
  /** The order's undecided one. */
  liveOf(orderId: string): Promise<PaymentRequestRow | undefined>;
  /** Changes an undecided one; a decision is final. */
  update(
    messageHash: string,
    changes: Pick<PaymentRequestRow, 'state' | 'nextLookAtMs'>,
  ): Promise<void>;
  /** Sum of the network fees since an instant, without those of expired ones. */
  lamportsSince(sinceMs: number): Promise<bigint>;
  /** Deletes decided ones that were made before: the chain keeps what landed. */
  forget(beforeMs: number): Promise<void>;
}
