/** What buying and resuming need of a context. */
import type { PurchaseDeps } from '../../api/checkout/purchase-deps.ts';
import { parseDuration } from '../amount.ts';
import type { Context } from '../context.ts';
import type { Settings } from '../settings/shape.ts';

/** Ours: the service inside this process costs nothing to ask. */
const EMBEDDED_POLL_MS = 300;

/** Between polls of an order of the checkout host; undefined for the interface's own pace. */
export function checkoutPace({ settings, parts: { testPollMs } }: Context): {
  readonly pollMs?: number;
} {
  if (settings.isEmbedded) return { pollMs: EMBEDDED_POLL_MS };
  return testPollMs === undefined ? {} : { pollMs: testPollMs };
}

/**
 * Ours: how long a payment that nobody answers is waited for before the command ends and leaves it to
 * `orders resume`. Settling takes a merchant half a minute at most (x402: confirmation within 30 s).
 */
const UNANSWERED_MS = 35_000;
const LEAST_UNANSWERED_MS = 10_000;
const DELIVERY_MS = 10 * 60_000;

export interface Patience {
  /** For delivery, once the order is accepted; 0 returns at once. */
  readonly waitMs: number;
  /** For payments of which nobody knows whether they were made; undefined until that is proven. */
  readonly settleMs: number | undefined;
}

/** @param timeout as typed; undefined where it was not. @throws {ScripError} INPUT_INVALID */
export function readPatience(timeout: string | undefined, isWaiting: boolean): Patience {
  const givenMs = timeout === undefined ? undefined : parseDuration(timeout);
  return {
    waitMs: isWaiting ? (givenMs ?? DELIVERY_MS) : 0,
    settleMs: givenMs ?? UNANSWERED_MS,
  };
}

/** A merchant that was slow with the price has used up some of the patience for its answer. */
export function patienceAfter({ waitMs, settleMs }: Patience, tookMs: number): Patience {
  if (settleMs === undefined || settleMs > UNANSWERED_MS) return { waitMs, settleMs };
  const leastMs = Math.min(settleMs, LEAST_UNANSWERED_MS);
  return { waitMs, settleMs: Math.max(leastMs, settleMs - Math.max(0, tookMs)) };
}

/** How the journal names the merchant: its origin, or the embedded service of a profile. */
export function hostName({ isEmbedded, profile, checkoutUrl }: Settings): string {
  return isEmbedded ? `embedded:${profile}` : new URL(checkoutUrl).origin;
}

/**
 * Opens wallet, chain and journal.
 * @throws {ScripError} WALLET_MISSING and the other codes of the wallet, CHAIN_UNREACHABLE
 */
export async function purchaseDeps(
  context: Context,
  { waitMs, settleMs }: Patience,
): Promise<PurchaseDeps> {
  const {
    parts: { fetch, clock, signal },
    settings,
    io: { progress },
  } = context;
  const signer = await context.parts.signer();
  const { openSpending } = await import('./spending.ts');
  const [rail, journal, vault, spending] = await Promise.all([
    context.parts.rail(),
    context.parts.journal(signer),
    context.parts.vault(signer),
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
    keySince: settings.keySince?.since,
    clock,
    waitMs,
    ...(settleMs === undefined ? {} : { settleMs }),
    signal,
    progress,
    random: (length) => context.parts.random(length),
    failPoint: (name) => context.parts.failPoint(name),
    ...checkoutPace(context),
  };
}
