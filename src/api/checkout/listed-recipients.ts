/** Reads the payment addresses that a host publishes. */

import { getManifest, type WireHostManifest } from '../../contract/manifest.ts';
import type { Clock } from '../../domain/clock.ts';
import { call } from '../http/call.ts';
import type { Exchange } from '../http/exchange.ts';

/**
 * Returns the addresses in `/.well-known/x402.json`; empty for a host that uses one address per order.
 * @param baseUrl address without a trailing slash
 * @throws {ScripError} what `call` throws
 */
export async function listedRecipients(
  { fetch, clock, signal }: Pick<Exchange, 'fetch' | 'signal'> & { readonly clock: Clock },
  baseUrl: string,
): Promise<readonly string[]> {
  return recipientsIn(await call(fetch, baseUrl, getManifest, {}, { clock, signal }));
}

/** Returns the payment addresses in a manifest. */
export function recipientsIn({ payTo, accepts = [] }: WireHostManifest): readonly string[] {
  const named = typeof payTo === 'string' ? [payTo] : Array.isArray(payTo) ? payTo : [];
  return [...named, ...accepts.flatMap((one) => one.payTo ?? [])];
}
