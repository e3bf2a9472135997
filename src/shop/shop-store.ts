/** The store of a shop. */

import { openStore } from '../storage/open.ts';
import type { Store } from '../storage/store.ts';
import type { ShopParts } from './parts.ts';
import { checkSeed, type Draw } from './secrets.ts';

export interface OpenedShopStore {
  readonly store: Store;
  readonly draw: Draw;
}

/** Opens the store that was begun with the shop's seed. @throws {ScripError} STORE_UNUSABLE */
export async function openShopStore(parts: ShopParts): Promise<OpenedShopStore> {
  const draw = parts.draw();
  const store = await openStore(parts.database());
  try {
    await checkSeed(draw, store.tables.facts);
    return { store, draw };
  } catch (error) {
    await store.close();
    throw error;
  }
}
