/** From when on an idempotency key can have been used at all: older payments need not be looked through. */

import { ScripError } from './errors.ts';
import { t } from './message.ts';

/** An instant, or how long before now: by the chain's clock, since nothing else may hide a payment. */
export type KeySince = { readonly atMs: number } | { readonly agoMs: number };

/** Blocks are dated a little apart from each other and from the world. */
const SKEW_MS = 10 * 60 * 1_000;

/**
 * The instant before which nothing is looked for.
 * @param chainMs time of the newest block; null where no node tells
 * @throws {ScripError} INPUT_INVALID for one that is not over; CHAIN_UNREACHABLE where the chain tells no time
 */
export function sinceInstant(since: KeySince, chainMs: number | null): number {
  if (chainMs === null) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC does not return the chain’s time`, {
      hint: t`Remove --key-since, or name another RPC with --rpc-url.`,
    });
  }
  const fromMs = 'atMs' in since ? since.atMs : chainMs - since.agoMs;
  if (fromMs <= chainMs) return fromMs - SKEW_MS;
  throw new ScripError('INPUT_INVALID', t`--key-since is later than the chain’s time`, {
    hint: t`Give the UTC day on which the key was created, or an earlier one.`,
  });
}
