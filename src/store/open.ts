/** Opens the engine that a store's address names. */

import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { openSqliteStore } from './sqlite.ts';
import type { OpenOptions, Store } from './store.ts';

/**
 * Opens `:memory:`, a path, `sqlite:<path>`, or a server's `postgres://` address.
 * @throws {ScripError} USAGE for any other scheme; STORE_UNUSABLE, PLATFORM_UNSUPPORTED
 */
export async function openStore(address: string, options: OpenOptions = {}): Promise<Store> {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(address)?.[1]?.toLowerCase();
  const { look, named = t`the address of the database` } = options;
  if (scheme === undefined) return openSqliteStore(address, look);
  if (scheme === 'sqlite') return openSqliteStore(address.slice('sqlite:'.length), look);
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // Load the driver only if it is used.
    return (await import('./postgres.ts')).openPostgresStore(address, options);
  }
  throw new ScripError('USAGE', t`"${scheme}" is not a kind of database that scrip can use`, {
    hint: t`Write postgres://user:password@host:5432/database, or the path of a file, into ${named}.`,
  });
}

/** Names a database without user and password, to tell people which one is used. */
export function databaseLabel(address: string): string {
  if (!/^postgres(ql)?:/i.test(address)) return address.replace(/^sqlite:/, '');
  if (!URL.canParse(address)) return 'PostgreSQL';
  const { host, pathname, searchParams } = new URL(address);
  return `postgres://${searchParams.get('host') ?? host}${pathname}`;
}
