/** The stores of a data folder: the shop's, and its chain's. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainStore } from '../storage/chain-records.ts';
import { openStore } from '../storage/open.ts';
import { CHAIN_FILE, openSqliteChain } from '../storage/sqlite.ts';
import type { Store } from '../storage/store.ts';

/** File name in the data folder. */
export const STORE_FILE = 'sandbox.db';

/**
 * Opens the shop's file, or the database that several servers share.
 * @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED; USAGE for an unsupported kind of
 * address
 */
export function openShopStore(dataDir: string, database?: string): Promise<Store> {
  return openStore(database ?? join(dataDir, STORE_FILE));
}

/** Opens the chain's file. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openChainStore(dataDir: string): Promise<ChainStore> {
  // Older versions kept the chain in the shop's file; opening that file moves the chain out.
  if (existsSync(join(dataDir, STORE_FILE))) await (await openShopStore(dataDir)).close();
  return openSqliteChain(join(dataDir, CHAIN_FILE));
}
