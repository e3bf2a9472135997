/** The wallet that pays, for commands that can do without one. */
import { ScripError } from '../../domain/errors.ts';
import type { Signer } from '../../rails/rail.ts';
import type { Context } from '../context.ts';

/** Undefined where there is no wallet; one that cannot be used is an error. */
export async function walletIfThere(context: Context): Promise<Signer | undefined> {
  try {
    return await context.parts.signer();
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') return undefined;
    throw error;
  }
}
