import { type Kysely, sql } from 'kysely';
import type { CallerFees } from '../caller-fees.ts';
import type { Database } from '../database.ts';

export function callerFeesIn(db: Kysely<Database>): CallerFees {
  return {
    insert: async (row) => {
      await db.insertInto('callerFees').values(row).execute();
    },
    byMessage: (messageHash) =>
      db
        .selectFrom('callerFees')
        .selectAll()
        .where('messageHash', '=', messageHash)
        .executeTakeFirst(),
    remove: async (messageHash) => {
      await db.deleteFrom('callerFees').where('messageHash', '=', messageHash).execute();
    },
    ofDay: async (day) => {
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
