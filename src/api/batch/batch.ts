/** Places the orders of a cart, a few at a time; what may have been paid is never paid again. */

import type { Clock } from '../../domain/clock.ts';
import { type Code, ScripError } from '../../domain/errors.ts';
import { RETRY_AFTER_CAP_MS } from '../../domain/retry.ts';
import { pause } from '../http/pause.ts';
import type { Bought, Merchant, OrderTerms, Quote } from '../merchant.ts';

/** An order that was confirmed as part of its batch. */
export interface BatchOrder<Body extends object> {
  readonly offer: Quote<Body>;
  readonly terms: OrderTerms;
}

/** How an order of the batch ended. */
export type BatchResult =
  | { readonly kind: 'bought'; readonly bought: Bought }
  | { readonly kind: 'error'; readonly error: ScripError }
  /** Never begun: the user stopped, or what befell another order would befall it too. */
  | { readonly kind: 'left'; readonly cause: ScripError | undefined };

export interface BatchOptions {
  readonly clock: Clock;
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

/** How often one order is retried when the merchant asks to wait. */
const MAX_WAITS = 20;
const DEFAULT_WAIT_MS = 5_000;

/**
 * Places every order and pays it, or leaves it. Not by `order`: prices, policy and consent are of all
 * orders together, and those of earlier runs are asked for in the words of the journal.
 * @returns the results in the order of the orders
 */
export async function placeOrders<Body extends object>(
  merchant: Pick<Merchant<Body>, 'place' | 'pay'>,
  orders: readonly BatchOrder<Body>[],
  options: BatchOptions,
): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = [];
  const state: { next: number; cause: ScripError | undefined } = { next: 0, cause: undefined };
  const work = async (): Promise<void> => {
    for (;;) {
      const index = state.next;
      const order = orders[index];
      if (order === undefined || state.cause !== undefined || options.stop.aborted) return;
      state.next += 1;
      const result = await buy(merchant, order, options);
      results[index] = result;
      state.cause ??= fatalIn(result);
      options.onResult(index, result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return orders.map((_, index) => results[index] ?? { kind: 'left', cause: state.cause });
}

async function buy<Body extends object>(
  merchant: Pick<Merchant<Body>, 'place' | 'pay'>,
  { offer, terms }: BatchOrder<Body>,
  { clock, stop }: BatchOptions,
): Promise<BatchResult> {
  for (let tried = 1; ; tried += 1) {
    try {
      const placed = await merchant.place(offer, terms);
      return { kind: 'bought', bought: await merchant.pay(placed, offer, terms) };
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      const waitMs = tried < MAX_WAITS ? askedWait(error) : undefined;
      if (waitMs === undefined || stop.aborted) return { kind: 'error', error };
      if (!(await waited(clock, waitMs, stop))) return { kind: 'left', cause: undefined };
    }
  }
}

/** So long the merchant wants to be left alone before it is asked again; nothing was signed. */
function askedWait({ code, fundsAtRisk, details }: ScripError): number | undefined {
  if (code !== 'RATE_LIMITED' || fundsAtRisk !== 'none') return undefined;
  const { retry_after_ms: asked } = details;
  const waitMs = typeof asked === 'number' ? asked : DEFAULT_WAIT_MS;
  return waitMs > RETRY_AFTER_CAP_MS ? undefined : waitMs;
}

/** False when the user stopped meanwhile. */
async function waited(clock: Clock, ms: number, stop: AbortSignal): Promise<boolean> {
  try {
    await pause(clock, ms, stop);
    return true;
  } catch (error) {
    if (error instanceof ScripError && error.code === 'INTERRUPTED') return false;
    throw error;
  }
}

function fatalIn(result: BatchResult): ScripError | undefined {
  if (result.kind === 'left') return undefined;
  const error = result.kind === 'bought' ? result.bought.error : result.error;
  return error !== undefined && FATAL.has(error.code) ? error : undefined;
}
