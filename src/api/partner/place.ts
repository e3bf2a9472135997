/** Where the partner API is, and who asks it. */

import { isEmbeddedUrl, isLoopbackHost } from '../../domain/loopback.ts';
import type { Place, ScripDeps } from '../scrip.ts';
import type { PartnerHost } from './partner.ts';

/** Ours: a sandbox on this machine is asked more often than the interface allows elsewhere. */
const NEAR_POLL_MS = 500;

/** How the journal names the merchant of the partner API. */
export function partnerHostName({ apiUrl, profile }: Pick<Place, 'apiUrl' | 'profile'>): string {
  return isEmbeddedUrl(apiUrl) ? `embedded:${profile}` : new URL(apiUrl).origin;
}

/** @param countryCode where the goods are for; the country of the settings without it */
export function partnerHost(
  { fetch, place, version, clock, signal, spokenLanguage }: ScripDeps,
  countryCode: string = place.countryCode,
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

/** Between polls of an order; undefined for the interface's own pace. */
export function pollPace({ place }: Pick<ScripDeps, 'place'>): { readonly pollMs?: number } {
  return isNear(place) ? { pollMs: NEAR_POLL_MS } : {};
}
