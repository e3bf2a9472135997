/** Opens the engine that a store's address names. */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

/**
 * Opens `:memory:`, a path, `sqlite:<path>`, or a server's `postgres://` address.
 * @throws {ScripError} USAGE for any other scheme; STORE_UNUSABLE, PLATFORM_UNSUPPORTED
 */
export async function openStore(address: string): Promise<Store> {
  const scheme = /^([a-z][a-z0-9+]+):/.exec(address)?.[1];
  if (scheme === undefined) return openSqliteStore(address);
  if (scheme === 'sqlite') return openSqliteStore(address.slice('sqlite:'.length));
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // Load the driver only if it is used.
    return (await import('./postgres.ts')).openPostgresStore(address);
  }
  throw new ScripError('USAGE', t`"${scheme}" is not a store type; give a file path`);
}
