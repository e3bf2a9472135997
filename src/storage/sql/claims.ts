import type { Kysely } from 'kysely';
import type { Claims } from '../claims.ts';
import type { Database } from '../database.ts';

export function claimsIn(db: Kysely<Database>): Claims {
  const byMessage: Claims['byMessage'] = (messageHash) =>
    db.selectFrom('claims').selectAll().where('messageHash', '=', messageHash).executeTakeFirst();
  return {
    byMessage,
    claim: async (row) => {
      await db
        .insertInto('claims')
        .values(row)
        .onConflict((conflict) => conflict.column('messageHash').doNothing())
        .execute();
      return (await byMessage(row.messageHash)) ?? row;
    },
    decide: async (messageHash, state, reason) => {
      await db
        .updateTable('claims')
        .set({ state, reason })
        .where('messageHash', '=', messageHash)
        .where('state', '=', 'submitting')
        .execute();
    },
  };
}
