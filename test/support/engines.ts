/** An empty store of each engine that a shop may run on. */
import { openPostgresStore } from '../../src/store/postgres.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase } from './postgres-server.ts';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;

export interface EmptyStore {
  readonly store: Store;
  /** Closes the store and leaves nothing behind. */
  remove(): Promise<void>;
}

export async function emptyStore(engine: (typeof ENGINES)[number]): Promise<EmptyStore> {
  const database = engine === 'SQLite' ? undefined : await createDatabase();
  const store = database
    ? await openPostgresStore(database.address)
    : await openSqliteStore(':memory:');
  return {
    store,
    async remove() {
      await store.close();
      await database?.drop();
    },
  };
}
