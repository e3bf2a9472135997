/**
 * Opens the shop of a sandbox with the secret and on the chain that it was begun with. Others are refused
 * before anything is made: goods would be delivered for payments that the shop's own chain does not have.
 */

import { t } from '../domain/message.ts';
import {
  type ChainAhead,
  checkChain,
  fingerprintIn,
  fingerprintOf,
  ownFingerprint,
} from '../store/ownership.ts';
import type { Store } from '../store/store.ts';
import { checkSecrets, type Draw, openSecrets, readSecrets, type ShopPlace } from './secrets.ts';
import { chainIdIn, openShopStore } from './stores.ts';

export const OTHER_CHAIN = t`Name the chain of the shop with --chain-rpc, or put its chain.db back into the data folder.`;

/** The chain of a data folder. */
export function chainAheadIn(dataDir: string): ChainAhead {
  return { where: dataDir, id: () => chainIdIn(dataDir), hint: OTHER_CHAIN };
}

/** @throws {ScripError} STORE_UNUSABLE, CHAIN_UNREACHABLE, PLATFORM_UNSUPPORTED */
export async function openBegunShop(
  place: ShopPlace,
  chain: ChainAhead,
): Promise<{ readonly store: Store; readonly draw: Draw }> {
  const store = await openShopStore(place, async (facts) => {
    if (facts === undefined) return;
    const known = await fingerprintIn(facts, 'sandbox');
    if (known !== undefined) checkSecrets(readSecrets(place.dataDir), known, place);
    await checkChain(facts, chain);
  });
  try {
    const draw = openSecrets(place.dataDir);
    checkSecrets(draw, await ownFingerprint(store, 'sandbox', fingerprintOf(draw)), place);
    return { store, draw };
  } catch (error) {
    await store.close();
    throw error;
  }
}
