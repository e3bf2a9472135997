/** Places the orders of a cart, a few at a time; what may have been paid is never paid again. */

import { type Code, ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { RETRY_AFTER_CAP_MS } from '../../domain/retry.ts';
import { purchase } from '../checkout/pay.ts';
import type { PurchaseDeps, PurchaseRequest } from '../checkout/purchase-deps.ts';
import { pause } from '../http/pause.ts';
import type { PurchaseOutcome } from '../payment/outcome.ts';

/** How an order of the batch ended. */
export type BatchResult =
  | { readonly kind: 'outcome'; readonly outcome: PurchaseOutcome }
  | { readonly kind: 'error'; readonly error: ScripError }
  /** Never begun: the user stopped, or what befell another order would befall it too. */
  | { readonly kind: 'left'; readonly cause: ScripError | undefined };

export interface BatchOptions {
  /** Orders that are placed side by side. */
  readonly concurrency: number;
  /** No order is begun after this; those begun are finished. */
  readonly stop: AbortSignal;
  /** Told after each order. */
  readonly onResult: (index: number, result: BatchResult) => void;
}

/** What stands in the way of one order and would of the next. */
const FATAL: ReadonlySet<Code> = new Set([
  'INTERNAL',
  'INTERRUPTED',
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'MERCHANT_REPLY_INVALID',
  'FACILITATOR_UNAVAILABLE',
  'CHAIN_UNREACHABLE',
  'REQUIREMENT_UNACCEPTABLE',
  'FUNDS_TOO_LOW',
  'JOURNAL_UNUSABLE',
  'SIGNER_FAILED',
  'SPENDING_LIMIT',
  'SPENDING_UNKNOWN',
  'POLICY_REFUSED',
  'HOST_NOT_ALLOWED',
  'UNATTENDED_OFF',
  'RATE_LIMITED',
  // Money went out and nothing came back: no more of it goes to that merchant.
  'OUTCOME_UNKNOWN',
  'ATTENTION_NEEDED',
]);

/** A merchant who asks for patience is given it so often for one order. */
const PATIENCE = 20;
const USUAL_WAIT_MS = 5_000;

/** Places every order, or leaves it. @returns the results in the order of the requests */
export async function placeOrders(
  deps: PurchaseDeps,
  requests: readonly PurchaseRequest[],
  options: BatchOptions,
): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = [];
  const state: { next: number; cause: ScripError | undefined } = { next: 0, cause: undefined };
  const work = async (): Promise<void> => {
    for (;;) {
      const index = state.next;
      const request = requests[index];
      if (request === undefined || state.cause !== undefined || options.stop.aborted) return;
      state.next += 1;
      const result = await place(deps, request, options.stop);
      results[index] = result;
      state.cause ??= fatalIn(result);
      options.onResult(index, result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return requests.map((_, index) => results[index] ?? { kind: 'left', cause: state.cause });
}

async function place(
  deps: PurchaseDeps,
  request: PurchaseRequest,
  stop: AbortSignal,
): Promise<BatchResult> {
  for (let tried = 1; ; tried += 1) {
    try {
      return { kind: 'outcome', outcome: await purchase(deps, request) };
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      const waitMs = tried < PATIENCE ? askedWait(error) : undefined;
      if (waitMs === undefined || stop.aborted) return { kind: 'error', error };
      if (!(await waited(deps, waitMs, stop))) return { kind: 'left', cause: undefined };
    }
  }
}

/** So long the merchant wants to be left alone before it is asked again; nothing was signed. */
function askedWait({ code, fundsAtRisk, details }: ScripError): number | undefined {
  if (code !== 'RATE_LIMITED' || fundsAtRisk !== 'none') return undefined;
  const { retry_after_ms: asked } = details;
  const waitMs = typeof asked === 'number' ? asked : USUAL_WAIT_MS;
  return waitMs > RETRY_AFTER_CAP_MS ? undefined : waitMs;
}

/** False when the user stopped meanwhile. */
async function waited({ clock }: PurchaseDeps, ms: number, stop: AbortSignal): Promise<boolean> {
  try {
    await pause(clock, ms, stop);
    return true;
  } catch (error) {
    if (error instanceof ScripError && error.code === 'INTERRUPTED') return false;
    throw error;
  }
}

function fatalIn(result: BatchResult): ScripError | undefined {
  if (result.kind === 'error') return FATAL.has(result.error.code) ? result.error : undefined;
  if (result.kind === 'left' || result.outcome.code === null) return undefined;
  const { code, kind } = result.outcome;
  const reason = 'reason' in result.outcome ? result.outcome.reason : kind;
  return FATAL.has(code) ? new ScripError(code, t`${reason}`) : undefined;
}
