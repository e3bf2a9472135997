/** Catalogs that a shop has sold, for a start without their source and for going back to one. */
import { type Db, join, sql } from '../sql.ts';
import { table } from '../table.ts';

interface CatalogRow {
  /** Digest of the text. */
  readonly version: string;
  readonly text: string;
  /** When it took the place of the one before. */
  readonly takenAtMs: number;
}

const catalogs = table<CatalogRow>('catalogs', 'version');

export function catalogsIn(db: Db) {
  const { first, put } = catalogs.in(db);
  return {
    /** Adds a version; of a known one the time alone changes. */
    take: put,
    /** Newest first, without their texts. */
    latest: (limit: number) =>
      db.all(
        sql<Omit<CatalogRow, 'text'>>`select version, taken_at_ms from catalogs
          order by taken_at_ms desc, version limit ${limit}`,
      ),
    text: async (version: string) => (await first({ version }))?.text,
    remove: async (versions: readonly string[]) => {
      if (versions.length === 0) return;
      await db.run(sql`delete from catalogs where version in (${join(versions)})`);
    },
  };
}
