/** The store of a shop. */

import { commandText } from '../domain/message/command-text.ts';
import { openStore } from '../store/open.ts';
import { fingerprintIn, fingerprintOf, ownFingerprint, requireShop } from '../store/ownership.ts';
import type { LookFirst, Store } from '../store/store.ts';
import type { ShopParts } from './parts.ts';
import { checkSeed, type Draw } from './secrets.ts';

type StoreParts = Pick<ShopParts, 'draw' | 'database'>;

export interface OpenedShopStore {
  readonly store: Store;
  readonly draw: Draw;
}

/**
 * Opens the store that was begun with the shop's seed; begins it where there is none.
 * @throws {ScripError} STORE_UNUSABLE, also for another's store: nothing is changed in it then
 */
export async function openShopStore(parts: StoreParts): Promise<OpenedShopStore> {
  const { store, draw } = await openWith(parts, async () => undefined);
  try {
    checkSeed(draw, await ownFingerprint(store, 'serve', fingerprintOf(draw)));
    return { store, draw };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The same for commands that work on a shop. @throws {ScripError} INPUT_INVALID where there is none */
export async function openBegunShop(parts: StoreParts): Promise<OpenedShopStore> {
  return openWith(parts, async (facts) => {
    requireShop(
      facts,
      commandText`Check data_dir and database of the configuration; scrip serve --config shop.json --check begins a new shop.`,
    );
  });
}

async function openWith(parts: StoreParts, lookMore: LookFirst): Promise<OpenedShopStore> {
  const draw = parts.draw();
  const { address, named } = parts.database();
  const look: LookFirst = async (facts) => {
    await lookMore(facts);
    if (facts !== undefined) checkSeed(draw, await fingerprintIn(facts, 'serve'));
  };
  return { store: await openStore(address, { look, named }), draw };
}
