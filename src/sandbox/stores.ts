/** The stores of a data folder: that of the shop, and that of its own chain. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainStore } from '../storage/chain-records.ts';
import { openStore } from '../storage/open.ts';
import { CHAIN_FILE, openSqliteChain } from '../storage/sqlite.ts';
import type { Store } from '../storage/store.ts';

/** Under the data folder. */
export const STORE_FILE = 'sandbox.db';

/**
 * The shop's file, or the database of several servers.
 * @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED; USAGE for an address of another kind
 */
export function openShopStore(dataDir: string, database?: string): Promise<Store> {
  return openStore(database ?? join(dataDir, STORE_FILE));
}

/** @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openChainStore(dataDir: string): Promise<ChainStore> {
  // Where an older version kept the chain in the shop's file, opening that moves it out.
  if (existsSync(join(dataDir, STORE_FILE))) await (await openShopStore(dataDir)).close();
  return openSqliteChain(join(dataDir, CHAIN_FILE));
}
