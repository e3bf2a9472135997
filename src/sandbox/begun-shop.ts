/**
 * Opens the shop of a sandbox with the secret and on the chain that it was begun with. Others are refused
 * before anything is made: goods would be delivered for payments that the shop's own chain does not have.
 */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { fingerprintIn, fingerprintOf, ownFingerprint } from '../storage/ownership.ts';
import type { Facts, Store } from '../storage/store.ts';
import { checkSecrets, type Draw, openSecrets, readSecrets, type ShopPlace } from './secrets.ts';
import { chainIdIn, openShopStore } from './stores.ts';

/** The fact that says on which chain a shop is paid; not the chain's own fact, which begins with `chain.`. */
const CHAIN = 'chain id';

/** A chain that a shop is to be opened on. */
export interface ChainAhead {
  /** Its address or folder, for messages. */
  readonly where: string;
  /** Undefined where the chain does not tell, or is not made yet. */
  id(): Promise<string | undefined>;
}

/** The chain of a data folder. */
export function chainAheadIn(dataDir: string): ChainAhead {
  return { where: dataDir, id: () => chainIdIn(dataDir) };
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

/** A shop that was begun before chains were remembered adopts the next one. @throws {ScripError} STORE_UNUSABLE */
export async function checkChain(
  facts: Pick<Facts, 'get'>,
  { where, id }: ChainAhead,
  hint = t`Name the chain of the shop with --chain-rpc, or put its chain.db back into the data folder.`,
): Promise<void> {
  const known = await facts.get(CHAIN);
  if (known === undefined || known === (await id())) return;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`The shop was begun on another chain than the one at ${where}`,
    { hint },
  );
}

/** Remembers the chain that is open now. @throws {ScripError} STORE_UNUSABLE when another was first */
export async function adoptChain(
  { tables: { facts } }: Pick<Store, 'tables'>,
  chain: ChainAhead,
): Promise<void> {
  const id = await chain.id();
  if (id !== undefined) await facts.once(CHAIN, id);
  await checkChain(facts, { ...chain, id: async () => id });
}
