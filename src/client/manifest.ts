/** The recipients that a host lists for itself. */
import type { Fetch } from '../contract/fetch.ts';
import { getManifest } from '../contract/manifest.ts';
import type { Clock } from '../domain/clock.ts';
import { call } from './call.ts';

/**
 * Addresses in `/.well-known/x402.json`; none where the host has an address for each order.
 * @param baseUrl address without a trailing slash
 * @throws {ScripError} what `call` throws
 */
export async function listedRecipients(host: {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}): Promise<readonly string[]> {
  const { fetch, baseUrl, clock, signal } = host;
  const { payTo, accepts = [] } = await call(fetch, baseUrl, getManifest, {}, { clock, signal });
  const named = typeof payTo === 'string' ? [payTo] : Array.isArray(payTo) ? payTo : [];
  return [...named, ...accepts.flatMap((one) => one.payTo ?? [])];
}
