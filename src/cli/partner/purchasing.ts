/** What making, paying and following an order of the partner API need of a context. */

import type { PartnerHost } from '../../api/partner/partner.ts';
import type { PartnerOrderDeps } from '../../api/partner/partner-order.ts';
import type { PayDeps } from '../../api/partner/pay-terms.ts';
import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Journal, NO_WALLET } from '../../domain/journal.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { t } from '../../domain/message.ts';
import type { Channel } from '../../domain/spending.ts';
import type { Signer } from '../../rails/rail.ts';
import type { Context } from '../context.ts';
import { walletIfThere } from '../keys/wallet-if-there.ts';
import { isEmbeddedUrl } from '../settings/settings.ts';
import type { Settings } from '../settings/shape.ts';
import { partnerHost } from './api.ts';

/** Ours: a sandbox on this machine is asked more often than the interface allows elsewhere. */
const NEAR_POLL_MS = 500;

/** How the journal names the merchant of the partner API. */
export function partnerHostName({ apiUrl, profile }: Settings): string {
  return isEmbeddedUrl(apiUrl) ? `embedded:${profile}` : new URL(apiUrl).origin;
}

/** Refuses a host that may not be paid, before it is asked for anything. @throws what `checkMerchant` does */
export async function checkPartnerHost(context: Context, hasKey: boolean): Promise<void> {
  const { checkMerchant } = await import('../buying/spending.ts');
  const merchantUrl = context.settings.apiUrl;
  return checkMerchant(context, {
    merchant: partnerHostName(context.settings),
    merchantUrl,
    hasKey,
  });
}

function isNear({ apiUrl }: Settings): boolean {
  return isLoopbackHost(new URL(apiUrl).hostname);
}

/** Between polls of an order; undefined for the interface's own pace. */
export function pollPace({ settings }: Context): { readonly pollMs?: number } {
  return isNear(settings) ? { pollMs: NEAR_POLL_MS } : {};
}

/** Journal of the wallet; without a wallet, a journal that belongs to none. */
export interface PartnerBooks {
  readonly journal: Journal;
  readonly signer: Signer | undefined;
}

/**
 * Orders that are paid elsewhere need no wallet here, and are journaled all the same.
 * @throws {ScripError} the codes of a wallet that is there and cannot be used
 */
export async function openPartnerBooks(context: Context): Promise<PartnerBooks> {
  const signer = await walletIfThere(context);
  return { journal: await context.parts.journal({ address: payerOf(signer) }), signer };
}

/** Whose journal an order stands in. */
export function payerOf(signer: Signer | undefined): string {
  return signer?.address ?? NO_WALLET;
}

export function makingDeps(
  context: Context,
  host: PartnerHost,
  books: PartnerBooks,
): PartnerOrderDeps {
  const { settings } = context;
  const { signer } = books;
  return {
    ...host,
    hostName: partnerHostName(settings),
    journal: books.journal,
    vault: signer && (() => context.parts.vault(signer)),
    payer: payerOf(signer),
    walletNetwork: SOLANA_MAINNET,
    random: (length) => context.parts.random(length),
    honoursIdempotencyKey: isNear(settings),
    failPoint: (name) => context.parts.failPoint(name),
  };
}

/**
 * Opens what a payment from the local wallet needs.
 * @param channel who decides; by default a person at the terminal, or nobody
 * @throws {ScripError} WALLET_MISSING and the other codes of the wallet, CHAIN_UNREACHABLE
 */
export async function payingDeps(
  context: Context,
  waitMs: number,
  channel?: Channel,
): Promise<PayDeps> {
  const signer = await context.parts.signer();
  const { openSpending } = await import('../buying/spending.ts');
  const [rail, journal, spending] = await Promise.all([
    context.parts.rail(),
    context.parts.journal(signer),
    openSpending(context, { signer, merchantUrl: context.settings.apiUrl, channel }),
  ]);
  const { direct } = rail;
  if (direct === undefined) {
    throw new ScripError('ORDER_NOT_PAYABLE', t`transfers on ${rail.network} are not known here`);
  }
  return {
    ...partnerHost(context),
    hostName: partnerHostName(context.settings),
    rail: { ...rail, direct },
    signer,
    journal,
    vault: () => context.parts.vault(signer),
    keySince: context.settings.keySince?.since,
    spending,
    waitMs,
    progress: context.io.progress,
    failPoint: (name) => context.parts.failPoint(name),
    ...pollPace(context),
  };
}
