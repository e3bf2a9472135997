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
    open: () => rows().where('closedAtMs', 'is', null).orderBy('position').execute(),
    closedSince: (atMs) => rows().where('closedAtMs', '>=', atMs).orderBy('position').execute(),
    nextPosition: async () => {
      const last = await rows().orderBy('position', 'desc').limit(1).executeTakeFirst();
      return last === undefined ? 0 : last.position + 1;
    },
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
