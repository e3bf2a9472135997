/** Payments of orders that the fee payer has signed for a buyer's wallet (Solana Pay, transaction request). */
import { sql } from 'kysely';
import { createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';
import { dueWorkOf } from '../due-work.ts';

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

declare module '../database.ts' {
  interface Database {
    readonly paymentRequests: PaymentRequestRow;
  }
}

export const createPaymentRequests = inTurn(
  createTable('paymentRequests', {
    messageHash: 'text key',
    orderId: 'text',
    account: 'text',
    amountAtomic: 'text',
    transaction: 'text',
    wire: 'text',
    lamports: 'text',
    lastValidBlockHeight: 'bigint',
    state: 'text',
    createdAtMs: 'bigint',
    nextLookAtMs: 'bigint?',
  }),
  createIndex('payment_requests_live', 'paymentRequests', ['orderId'], {
    isUnique: true,
    where: sql`${sql.ref('state')} = 'live'`,
  }),
  createIndex('payment_requests_by_time', 'paymentRequests', ['createdAtMs']),
);

const dueRequests = dueWorkOf<PaymentRequestRow>(
  { name: 'paymentRequests', key: 'messageHash', dueAt: 'nextLookAtMs' },
  (db, { atMs, limit }) =>
    db
      .selectFrom('paymentRequests')
      .selectAll()
      .where('state', '=', 'live')
      .where('nextLookAtMs', '<=', atMs)
      .orderBy('createdAtMs')
      .limit(limit),
);

/** Due is what is `live`. */
export function paymentRequestsIn(db: Db, locksRows: boolean) {
  return {
    ...dueRequests(db, locksRows),
    insert: async (row: PaymentRequestRow) => {
      await db.insertInto('paymentRequests').values(row).execute();
    },
    /** The order's undecided one. */
    liveOf: (orderId: string): Promise<PaymentRequestRow | undefined> =>
      db
        .selectFrom('paymentRequests')
        .selectAll()
        .where('state', '=', 'live')
        .where('orderId', '=', orderId)
        .executeTakeFirst(),
    /** Changes an undecided one; a decision is final. */
    update: async (
      messageHash: string,
      changes: Pick<PaymentRequestRow, 'state' | 'nextLookAtMs'>,
    ) => {
      await db
        .updateTable('paymentRequests')
        .set(changes)
        .where('messageHash', '=', messageHash)
        .where('state', '=', 'live')
        .execute();
    },
    /** Sum of the network fees since an instant, without those of expired ones. */
    lamportsSince: async (sinceMs: number) => {
      const sum = await db
        .selectFrom('paymentRequests')
        // As text: drivers keep fewer digits of a number than engines do.
        .select(sql<string | null>`cast(sum(cast(lamports as bigint)) as text)`.as('lamports'))
        .where('createdAtMs', '>=', sinceMs)
        .where('state', '!=', 'expired')
        .executeTakeFirst();
      return BigInt(sum?.lamports ?? 0);
    },
    /** Deletes decided ones that were made before: the chain keeps what landed. */
    forget: async (beforeMs: number) => {
      await db
        .deleteFrom('paymentRequests')
        .where('createdAtMs', '<', beforeMs)
        .where('state', '!=', 'live')
        .execute();
    },
  };
}
