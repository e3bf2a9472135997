import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Purchases } from '../purchases.ts';

export function purchasesIn(db: Kysely<Database>): Purchases {
  return {
    byReference: (reference) =>
      db.selectFrom('purchases').selectAll().where('reference', '=', reference).executeTakeFirst(),
    put: async (row) => {
      const { reference: _key, ...rest } = row;
      await db
        .insertInto('purchases')
        .values(row)
        .onConflict((conflict) => conflict.column('reference').doUpdateSet(rest))
        .execute();
    },
    count: async () => {
      const counted = await db
        .selectFrom('purchases')
        .select((eb) => eb.fn.countAll().as('rows'))
        .executeTakeFirstOrThrow();
      return Number(counted.rows);
    },
  };
}
