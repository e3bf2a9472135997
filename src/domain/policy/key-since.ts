/** The `--key-since` limit: when a key can first have been used, so that older payments need no search. */

import { ScripError } from '../message/errors.ts';
import { t } from '../message/message.ts';

/** An instant, or a time before now by the chain's clock: a wrong local clock must not hide a payment. */
export type KeySince = { readonly atMs: number } | { readonly agoMs: number };

/** Tolerance for block times, which differ a little from each other and from real time. */
const SKEW_MS = 10 * 60 * 1_000;

/**
 * Returns the instant before which no payment is searched for.
 * @param chainMs time of the newest block; null when the RPC returns none
 * @throws {ScripError} INPUT_INVALID when it is in the future; CHAIN_UNREACHABLE when the chain's time is
 * unknown
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
