import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { PurchaseRow, Purchases } from '../purchases.ts';
import { statement } from './statement.ts';

const BY_REFERENCE = statement((db, { reference }: Pick<PurchaseRow, 'reference'>) =>
  db.selectFrom('purchases').selectAll().where('reference', '=', reference),
);

const PUT = statement((db, { reference, ...rest }: PurchaseRow) =>
  db
    .insertInto('purchases')
    .values({ reference, ...rest })
    .onConflict((conflict) => conflict.column('reference').doUpdateSet(rest)),
);

const COUNT = statement((db) =>
  db.selectFrom('purchases').select((eb) => eb.fn.countAll().as('rows')),
);

export function purchasesIn(db: Kysely<Database>): Purchases {
  return {
    byReference: (reference) => BY_REFERENCE.first(db, { reference }),
    put: async (row) => {
      await PUT.run(db, row);
    },
    count: async () => Number((await COUNT.only(db, {})).rows),
  };
}
