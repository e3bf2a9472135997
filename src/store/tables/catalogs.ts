/** Catalogs that a shop has sold, for a start without their source and for going back to one. */
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';

interface CatalogRow {
  /** Digest of the text. */
  readonly version: string;
  readonly text: string;
  /** When it took the place of the one before. */
  readonly takenAtMs: number;
}

declare module '../database.ts' {
  interface Database {
    readonly catalogs: CatalogRow;
  }
}

export const createCatalogs = createTable('catalogs', {
  version: 'text key',
  text: 'text',
  takenAtMs: 'bigint',
});

export function catalogsIn(db: Db) {
  return {
    /** Adds a version; of a known one the time alone changes. */
    take: async (row: CatalogRow) => {
      await db
        .insertInto('catalogs')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('version').doUpdateSet({ takenAtMs: row.takenAtMs }),
        )
        .execute();
    },
    /** Newest first, without their texts. */
    latest: (limit: number): Promise<readonly Omit<CatalogRow, 'text'>[]> =>
      db
        .selectFrom('catalogs')
        .select(['version', 'takenAtMs'])
        .orderBy('takenAtMs', 'desc')
        .orderBy('version')
        .limit(limit)
        .execute(),
    text: async (version: string) => {
      const row = db.selectFrom('catalogs').select('text').where('version', '=', version);
      return (await row.executeTakeFirst())?.text;
    },
    remove: async (versions: readonly string[]) => {
      if (versions.length === 0) return;
      await db.deleteFrom('catalogs').where('version', 'in', versions).execute();
    },
  };
}
