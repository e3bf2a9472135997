/** Network fees that the fee payer pays for other hosts, which the operator named. */
import { sql } from 'kysely';
import { createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';

/** A fee reserved for one message before the fee payer signs it. */
interface CallerFeeRow {
  readonly messageHash: string;
  /** Name of the caller. */
  readonly caller: string;
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  /** Decimal digits. */
  readonly lamports: string;
}

declare module '../database.ts' {
  interface Database {
    readonly callerFees: CallerFeeRow;
  }
}

export const createCallerFees = inTurn(
  createTable('callerFees', {
    messageHash: 'text key',
    caller: 'text',
    day: 'text',
    lamports: 'text',
  }),
  createIndex('caller_fees_of_day', 'callerFees', ['day', 'caller']),
);

export function callerFeesIn(db: Db) {
  return {
    insert: async (row: CallerFeeRow) => {
      await db.insertInto('callerFees').values(row).execute();
    },
    byMessage: (messageHash: string): Promise<CallerFeeRow | undefined> =>
      db
        .selectFrom('callerFees')
        .selectAll()
        .where('messageHash', '=', messageHash)
        .executeTakeFirst(),
    remove: async (messageHash: string) => {
      await db.deleteFrom('callerFees').where('messageHash', '=', messageHash).execute();
    },
    /** Sums of each caller's fees on one day, ordered by name. */
    ofDay: async (day: string) => {
      const rows = await db
        .selectFrom('callerFees')
        .select((eb) => [
          'caller',
          eb.fn.countAll().as('payments'),
          // As text: drivers keep fewer digits of a number than engines do.
          sql<string>`cast(sum(cast(lamports as bigint)) as text)`.as('lamports'),
        ])
        .where('day', '=', day)
        .groupBy('caller')
        .orderBy('caller')
        .execute();
      return rows.map(({ caller, payments, lamports }) => ({
        caller,
        payments: Number(payments),
        lamports: BigInt(lamports),
      }));
    },
  };
}
