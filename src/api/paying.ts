/** What a payment of the wallet is measured, signed and written down with. */

import type { Journal } from '../domain/journal.ts';
import type { Channel } from '../domain/spending.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { Vault } from '../wallet/vault.ts';
import type { Spending } from './payment/measure.ts';
import type { ScripDeps } from './scrip.ts';

export interface Paying {
  readonly signer: Signer;
  readonly rail: PayerRail;
  readonly journal: Journal;
  readonly spending: Spending;
  /** Opened when something is about to be paid: a passphrase may be asked for. */
  vault(): Promise<Vault>;
}

/**
 * Opens wallet, chain and journal.
 * @param channel who decides; that of the run without it
 * @throws {ScripError} WALLET_MISSING and the other codes of the wallet, CHAIN_UNREACHABLE
 */
export async function openPaying(
  deps: ScripDeps,
  merchantUrl: string,
  channel: Channel = deps.channel,
): Promise<Paying> {
  const signer = await deps.signer();
  const { openSpending } = await import('./payment/spending.ts');
  const [rail, journal, spending] = await Promise.all([
    deps.rail(),
    deps.journal(signer),
    openSpending(deps, { signer, merchantUrl, channel }),
  ]);
  return { signer, rail, journal, spending, vault: () => deps.vault(signer) };
}
