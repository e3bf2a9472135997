/** Address of the partner API, and the caller's identity. */

import { isEmbeddedUrl, isLoopbackHost } from '../../domain/loopback.ts';
import type { Place, ScripDeps } from '../scrip.ts';
import type { PartnerHost } from './partner.ts';

/** Ours: polls a sandbox on this machine faster than the interface allows elsewhere. */
const NEAR_POLL_MS = 500;

/** Returns the partner API's name in the journal. */
export function partnerHostName({
  apiUrl,
  profile,
  recordedAs,
}: Pick<Place, 'apiUrl' | 'profile' | 'recordedAs'>): string {
  if (recordedAs !== undefined) return recordedAs;
  return isEmbeddedUrl(apiUrl) ? `embedded:${profile}` : new URL(apiUrl).origin;
}

// Ours: the interface wants a country in the headers of every request and does not say which when none is known.
const HEADER_COUNTRY = 'us';

/** @param countryCode country of the goods, for the headers; default: the one in the settings */
export function partnerHost(
  { fetch, place, version, clock, signal, spokenLanguage }: ScripDeps,
  countryCode: string = place.countryCode ?? HEADER_COUNTRY,
): PartnerHost {
  return {
    fetch,
    apiUrl: place.apiUrl,
    applicationId: place.partnerId,
    version,
    countryCode,
    lang: spokenLanguage,
    clock,
    signal,
  };
}

export function isNear({ apiUrl }: Pick<Place, 'apiUrl'>): boolean {
  return isLoopbackHost(new URL(apiUrl).hostname);
}

/** Pause between polls of an order; empty for the interface's own pace. */
export function pollPace({ place }: Pick<ScripDeps, 'place'>): { readonly pollMs?: number } {
  return isNear(place) ? { pollMs: NEAR_POLL_MS } : {};
}
