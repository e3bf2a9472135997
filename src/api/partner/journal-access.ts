/** The journal of orders of the partner API, and what creating one needs of it. */

import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { type Journal, NO_WALLET } from '../../domain/journal.ts';
import type { Signer } from '../../rails/rail.ts';
import type { ScripDeps } from '../scrip.ts';
import { walletIfThere } from '../wallet-if-there.ts';
import type { PartnerOrderDeps } from './partner-order.ts';
import { isNear, partnerHost, partnerHostName } from './place.ts';

/** The wallet's journal; without a wallet, the journal for orders paid elsewhere. */
export interface JournalAccess {
  readonly journal: Journal;
  readonly signer: Signer | undefined;
}

/**
 * Opens the journal. Orders paid elsewhere need no wallet here, but are journaled too.
 * @throws {ScripError} the codes of an existing wallet that cannot be used
 */
export async function openJournalAccess(deps: ScripDeps): Promise<JournalAccess> {
  const signer = await walletIfThere(deps);
  return { journal: await deps.journal({ address: payerOf(signer) }), signer };
}

/** Returns the payer whose journal holds the order. */
export function payerOf(signer: Signer | undefined): string {
  return signer?.address ?? NO_WALLET;
}

/** Collects what creating an order needs. @param countryCode country of the goods */
export function makingDeps(
  deps: ScripDeps,
  { journal, signer }: JournalAccess,
  countryCode?: string,
): PartnerOrderDeps {
  return {
    ...partnerHost(deps, countryCode),
    hostName: partnerHostName(deps.place),
    journal,
    vault: signer && (() => deps.vault(signer)),
    payer: payerOf(signer),
    walletNetwork: SOLANA_MAINNET,
    random: (length) => deps.random(length),
    honoursIdempotencyKey: isNear(deps.place),
    failPoint: (name) => deps.failPoint(name),
  };
}
