/** Address of the partner API, and the caller's identity. */

import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { isEmbeddedUrl, isOnThisMachine } from '../../domain/address/loopback.ts';
import { NO_WALLET } from '../../domain/journal/journal.ts';
import type { Signer } from '../../rails/rail.ts';
import { type Place, type ScripDeps, walletIfThere } from '../scrip.ts';
import type { PartnerHost } from './partner.ts';
import type { PartnerOrderDeps } from './partner-order.ts';

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

/** Pause between polls of an order; undefined for the interface's own pace. */
export function pollPace({ place }: Pick<ScripDeps, 'place'>): number | undefined {
  return isOnThisMachine(place.apiUrl) ? NEAR_POLL_MS : undefined;
}

/**
 * Opens the wallet's journal; without a wallet, the one for orders paid elsewhere, which are journaled too.
 * @throws {ScripError} the codes of an existing wallet that cannot be used
 */
export async function openJournalAccess(deps: ScripDeps) {
  const signer = await walletIfThere(deps);
  return { journal: await deps.journal({ address: payerOf(signer) }), signer };
}

/** The network on which the wallet sends transfers itself. */
export const WALLET_NETWORK = SOLANA_MAINNET;

/** Returns the payer whose journal holds the order. */
export function payerOf(signer: Signer | undefined): string {
  return signer?.address ?? NO_WALLET;
}

/** Collects what creating an order needs. @param countryCode country of the goods */
export function makingDeps(
  deps: ScripDeps,
  { journal, signer }: Awaited<ReturnType<typeof openJournalAccess>>,
  countryCode?: string,
): PartnerOrderDeps {
  return {
    ...partnerHost(deps, countryCode),
    hostName: partnerHostName(deps.place),
    journal,
    vault: signer && (() => deps.vault(signer)),
    payer: payerOf(signer),
    walletNetwork: WALLET_NETWORK,
    random: (length) => deps.random(length),
    honoursIdempotencyKey: isOnThisMachine(deps.place.apiUrl),
    failPoint: (name) => deps.failPoint(name),
  };
}
