import type { Kysely } from 'kysely';
import type { Catalogs } from '../catalogs.ts';
import type { Database } from '../database.ts';

export function catalogsIn(db: Kysely<Database>): Catalogs {
  return {
    take: async (row) => {
      await db
        .insertInto('catalogs')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('version').doUpdateSet({ takenAtMs: row.takenAtMs }),
        )
        .execute();
    },
    latest: (limit) =>
      db
        .selectFrom('catalogs')
        .select(['version', 'takenAtMs'])
        .orderBy('takenAtMs', 'desc')
        .orderBy('version')
        .limit(limit)
        .execute(),
    text: async (version) => {
      const row = db.selectFrom('catalogs').select('text').where('version', '=', version);
      return (await row.executeTakeFirst())?.text;
    },
    remove: async (versions) => {
      if (versions.length === 0) return;
      await db.deleteFrom('catalogs').where('version', 'in', versions).execute();
    },
  };
}
