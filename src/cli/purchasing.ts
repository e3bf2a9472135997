/** What buying and resuming need of a context. */
import type { PurchaseTools } from '../client/purchase-tools.ts';
import type { Context, Settings } from './context.ts';

/** Ours: a sandbox on this machine is asked more often than the interface allows elsewhere. */
const EMBEDDED_POLL_MS = 500;

/** How the journal names the merchant: its origin, or the embedded service of a profile. */
export function hostName({ isEmbedded, profile, checkoutUrl }: Settings): string {
  return isEmbedded ? `embedded:${profile}` : new URL(checkoutUrl).origin;
}

/**
 * Opens wallet, chain and journal.
 * @throws {ScripError} WALLET_MISSING and the other codes of the wallet, CHAIN_UNREACHABLE
 */
export async function purchaseTools(context: Context, waitMs: number): Promise<PurchaseTools> {
  const { fetch, settings, clock, interrupted, progress } = context;
  const signer = await context.signer();
  const { openSpending } = await import('./spending.ts');
  const [rail, journal, vault, spending] = await Promise.all([
    context.rail(),
    context.journal(signer),
    context.vault(signer),
    openSpending(context, { signer, merchantUrl: settings.checkoutUrl }),
  ]);
  return {
    fetch,
    checkoutUrl: settings.checkoutUrl,
    host: hostName(settings),
    rail,
    signer,
    journal,
    spending,
    vault,
    clock,
    waitMs,
    signal: interrupted,
    progress,
    random: (length) => context.random(length),
    failPoint: (name) => context.failPoint(name),
    ...(settings.isEmbedded ? { pollMs: EMBEDDED_POLL_MS } : {}),
  };
}
