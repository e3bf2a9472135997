/** The stores of a data folder: that of the shop, and that of its own chain. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainStore } from '../storage/chain-records.ts';
import { CHAIN_FILE, openSqliteChain, openSqliteStore } from '../storage/sqlite.ts';
import type { Store } from '../storage/store.ts';

/** Under the data folder. */
export const STORE_FILE = 'sandbox.db';

/** @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export function openShopStore(dataDir: string): Promise<Store> {
  return openSqliteStore(join(dataDir, STORE_FILE));
}

/** @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openChainStore(dataDir: string): Promise<ChainStore> {
  // Where an older version kept the chain in the shop's file, opening that moves it out.
  if (existsSync(join(dataDir, STORE_FILE))) await (await openShopStore(dataDir)).close();
  return openSqliteChain(join(dataDir, CHAIN_FILE));
}
