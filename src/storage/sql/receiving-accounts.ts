import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { ReceivingAccounts } from '../receiving-accounts.ts';
import { changedOne } from './changes.ts';

export function receivingAccountsIn(db: Kysely<Database>): ReceivingAccounts {
  const rows = () => db.selectFrom('receivingAccounts').selectAll();
  return {
    insert: async (row) => {
      await db.insertInto('receivingAccounts').values(row).execute();
    },
    byOwner: (owner) => rows().where('owner', '=', owner).executeTakeFirst(),
    all: () => rows().orderBy('position').execute(),
    update: async ({ owner, version }, changes) =>
      changedOne(
        await db
          .updateTable('receivingAccounts')
          .set({ ...changes, version: version + 1 })
          .where('owner', '=', owner)
          .where('version', '=', version)
          .executeTakeFirst(),
      ),
  };
}
