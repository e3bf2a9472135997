import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Partners } from '../partners.ts';
import { changedOne } from './changes.ts';

export function partnersIn(db: Kysely<Database>): Partners {
  const rows = () => db.selectFrom('partners').selectAll();
  return {
    insert: async (row) => {
      await db.insertInto('partners').values(row).execute();
    },
    byId: (partnerId) => rows().where('partnerId', '=', partnerId).executeTakeFirst(),
    all: () => rows().orderBy('partnerId').execute(),
    update: async ({ partnerId, version }, changes) =>
      changedOne(
        await db
          .updateTable('partners')
          .set({ ...changes, version: version + 1 })
          .where('partnerId', '=', partnerId)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
  };
}
