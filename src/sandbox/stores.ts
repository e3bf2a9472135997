/** The stores of a data folder: the shop's, and its chain's. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../domain/message.ts';
import { openStore } from '../store/open.ts';
import { CHAIN_FILE, openSqliteChain } from '../store/sqlite.ts';
import type { ChainStore, LookFirst, Store } from '../store/store.ts';
import { chainIdOf } from './chain/slots.ts';
import type { ShopPlace } from './secrets.ts';

/** File name in the data folder. */
export const STORE_FILE = 'sandbox.db';

/** Address of the shop's file, or of the database that several servers share. */
export function shopAddress({ dataDir, database }: ShopPlace): string {
  return database ?? join(dataDir, STORE_FILE);
}

/**
 * Opens the shop's store.
 * @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED; USAGE for an unsupported kind of
 * address
 */
export function openShopStore(place: ShopPlace, look?: LookFirst): Promise<Store> {
  return openStore(shopAddress(place), { look, named: t`--database or SCRIP_DATABASE_URL` });
}

/** Opens the chain's file. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export function openChainStore(dataDir: string): Promise<ChainStore> {
  return openSqliteChain(join(dataDir, CHAIN_FILE));
}

/** Which chain is in the folder; undefined without one. @throws {ScripError} STORE_UNUSABLE */
export async function chainIdIn(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, CHAIN_FILE);
  if (!existsSync(file)) return undefined;
  const { tables, close } = await openSqliteChain(file);
  try {
    return await chainIdOf(tables.facts);
  } finally {
    await close();
  }
}
