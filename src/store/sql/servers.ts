import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { ServerNames } from '../servers.ts';
import { statement } from './statement.ts';

const ALL = statement((db, _all: object) => db.selectFrom('servers').select('name'));

export function serversIn(db: Kysely<Database>): ServerNames {
  return {
    all: async () => (await ALL.all(db, {})).map(({ name }) => name),
    add: async (name) => {
      await db
        .insertInto('servers')
        .values({ name })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },
    remove: async (names) => {
      await db.deleteFrom('servers').where('name', 'in', names).execute();
    },
  };
}
