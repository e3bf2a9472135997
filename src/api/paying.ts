/** What a payment needs: wallet, chain, journal and limits. */

import type { Journal } from '../domain/journal/journal.ts';
import type { Channel } from '../domain/policy/spend-rules.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { Vault } from '../wallet/vault.ts';
import type { Spending } from './payment/measure.ts';
import type { ScripDeps } from './scrip.ts';

export interface Paying {
  readonly signer: Signer;
  readonly rail: PayerRail;
  readonly journal: Journal;
  readonly spending: Spending;
  /** Opened only when something is about to be paid, because that may ask for a passphrase. */
  vault(): Promise<Vault>;
}

/**
 * Opens wallet, chain and journal.
 * @param channel who decides; default: the run's channel
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
