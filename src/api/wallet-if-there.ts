/** The wallet that pays, for commands where it is optional. */

import { ScripError } from '../domain/errors.ts';
import type { Signer } from '../rails/rail.ts';

/** Returns the wallet; undefined if there is none. A wallet that cannot be used is an error. */
export async function walletIfThere(deps: {
  signer(): Promise<Signer>;
}): Promise<Signer | undefined> {
  try {
    return await deps.signer();
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') return undefined;
    throw error;
  }
}
