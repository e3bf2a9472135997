/**
 * Payments of orders by the payment page: those that the fee payer has signed for a buyer's wallet (Solana Pay,
 * transaction request), and those that a buyer's wallet has signed for the facilitator.
 */

import { dueWorkOf } from '../due-work.ts';
import { type Db, sql, within } from '../sql.ts';
import { table } from '../table.ts';

export interface PaymentRequestRow {
  readonly messageHash: string;
  readonly orderId: string;
  /** The wallet that pays. */
  readonly account: string;
  /** Digits, in the smallest units of the order's coin. */
  readonly amountAtomic: string;
  /** Id that the transaction has on the chain. */
  readonly transaction: string;
  /** Base64 of the transaction without the buyer's signature; JSON of what the facilitator settles. */
  readonly wire: string;
  /** Until when it can land, in its rail's terms. */
  readonly validUntil: number;
  readonly state: 'live' | 'landed' | 'failed' | 'expired';
  readonly createdAtMs: number;
  /** When to ask the chain about it; null once it is decided. */
  readonly nextLookAtMs: number | null;
}

/** With the network fee if it lands, in digits. */
type Stored = PaymentRequestRow & { readonly lamports: string };

const paymentRequests = table<Stored>('paymentRequests', 'messageHash');

const dueRequests = dueWorkOf<PaymentRequestRow>({
  name: 'paymentRequests',
  key: 'messageHash',
  dueAt: 'nextLookAtMs',
  where: sql`state = ${'live'}`,
});

/** Due is what is `live`. */
export function paymentRequestsIn(db: Db, locksRows: boolean) {
  const { insert, first, select, update } = paymentRequests.in(db);
  return {
    ...dueRequests(db, locksRows),
    insert: (row: PaymentRequestRow, fee: bigint) => insert({ ...row, lamports: fee.toString() }),
    byMessage: (messageHash: string) => first({ messageHash }),
    /** The order's undecided one. */
    liveOf: (orderId: string) => first({ orderId, state: 'live' }),
    landedOf: (orderIds: readonly string[]) =>
      select(sql`where ${within(sql`order_id`, orderIds)} and state = 'landed'`),
    /** Changes an undecided one; a decision is final. */
    update: async (
      messageHash: string,
      changes: Pick<PaymentRequestRow, 'state' | 'nextLookAtMs'>,
    ) => {
      await update({ messageHash, state: 'live' }, changes);
    },
    /** Sum of the network fees since an instant, without those of expired ones. */
    feesSince: async (sinceMs: number) => {
      // As text: drivers keep fewer digits of a number than engines do.
      const { lamports } = await db.only(sql<{ readonly lamports: string | null }>`
        select cast(sum(cast(lamports as bigint)) as text) as lamports from payment_requests
        where created_at_ms >= ${sinceMs} and state <> 'expired'`);
      return BigInt(lamports ?? 0);
    },
    /** Deletes decided ones that were made before: the chain keeps what landed. */
    forget: async (beforeMs: number) => {
      await db.run(sql`delete from payment_requests
        where created_at_ms < ${beforeMs} and state <> 'live'`);
    },
  };
}
