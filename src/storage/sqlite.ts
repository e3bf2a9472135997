/** The embedded store: one SQLite file that several processes may use at once. */

import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { STEPS } from './schema.ts';
import type { SqliteConnection } from './sqlite-driver.ts';
import type { Store } from './store.ts';

const MEMORY = ':memory:';

/**
 * Opens the store at `path`, made with its folder when there is none; `:memory:` forgets.
 * @throws {ScripError} STORE_UNUSABLE when the file is not ours to use, damaged, or of a newer
 *   program; PLATFORM_UNSUPPORTED
 */
export async function openSqliteStore(path: string): Promise<Store> {
  if (path !== MEMORY) await makePrivate(path);
  // Kysely and libsql cost tens of milliseconds, which only who opens a store should pay.
  const [{ connect }, { tablesIn }] = await Promise.all([
    import('./sqlite-driver.ts'),
    import('./sql/tables.ts'),
  ]);
  const connection = await connect(path);
  try {
    await prepare(connection);
  } catch (error) {
    await connection.db.destroy();
    throw error;
  }
  const { db } = connection;
  return {
    tables: tablesIn(db),
    write: (work) => db.transaction().execute((transaction) => work(tablesIn(transaction))),
    snapshot: (work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((transaction) => work(tablesIn(transaction))),
    close: () => db.destroy(),
  };
}

/** Vouchers and e-mail addresses are inside: the folder 0700, the file 0600. */
async function makePrivate(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    // SQLite gives its side files the mode of this one.
    await file.chmod(0o600).finally(() => file.close());
  } catch (cause) {
    throw new ScripError('STORE_UNUSABLE', t`${path} cannot be written`, { cause });
  }
}

async function prepare(connection: SqliteConnection): Promise<void> {
  await connection.run('pragma journal_mode = wal');
  // In WAL mode only FULL makes every commit durable against a loss of power.
  await connection.run('pragma synchronous = full');
  await connection.run('pragma foreign_keys = on');
  if ((await version(connection)) !== STEPS.length) await migrate(connection);
}

async function version({ run }: SqliteConnection): Promise<number> {
  const [row] = await run('pragma user_version');
  return Number(row?.user_version);
}

/** Several processes may start on an empty file together: the version is read again under the lock. */
async function migrate(connection: SqliteConnection): Promise<void> {
  await connection.db.transaction().execute(async (transaction) => {
    const from = await version(connection);
    if (from > STEPS.length) {
      throw new ScripError(
        'STORE_UNUSABLE',
        t`the store is of version ${from}, written by a newer scrip`,
        {
          hint: t`Update scrip, or name another data folder.`,
        },
      );
    }
    for (const step of STEPS.slice(from)) await step(transaction, { bytes: 'blob' });
    await connection.run(`pragma user_version = ${STEPS.length}`);
  });
}
