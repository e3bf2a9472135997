/** Places the orders of a cart, several at a time; never pays again what may already be paid. */

import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { RETRY_AFTER_CAP_MS } from '../../domain/payment/retry.ts';
import { CART_ATTEMPT, type SpendLog } from '../../domain/policy/spend-log.ts';
import { pause } from '../http/pause.ts';
import type { Bought, Merchant, OrderTerms, Quote } from '../merchant.ts';

/** An order that the user confirmed as part of its batch. */
export interface BatchOrder<Body extends object> {
  readonly offer: Quote<Body>;
  readonly terms: OrderTerms;
}

/** How an order of the batch ended. */
export type BatchResult =
  | { readonly kind: 'bought'; readonly bought: Bought }
  | { readonly kind: 'error'; readonly error: ScripError }
  /** Not paid: the user stopped, or an earlier order failed in a way that would stop this one too. */
  | { readonly kind: 'left'; readonly cause: ScripError | undefined };

interface BatchOptions {
  readonly clock: Clock;
  /** How many orders are placed in parallel. */
  readonly concurrency: number;
  /** After this, no order is started; those in progress are finished. */
  readonly stop: AbortSignal;
  /** Called after each order. */
  readonly onResult: (index: number, result: BatchResult) => void;
}

/** Errors that would stop the next order too. */
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
  'SHOP_FULL',
  // Money was sent and nothing was delivered: send no more to that merchant.
  'OUTCOME_UNKNOWN',
  'ATTENTION_NEEDED',
]);

/** How often one order is retried when the merchant asks to wait. */
const MAX_WAITS = 20;
const DEFAULT_WAIT_MS = 5_000;

/**
 * Places and pays every order, or leaves it. Doesn't use `order`, because price, policy and consent cover the
 * whole batch, and orders of an earlier run repeat the journaled request.
 * @returns the results in the order of `orders`
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
  { offer: quote, terms }: BatchOrder<Body>,
  { clock, stop }: BatchOptions,
): Promise<BatchResult> {
  for (let tried = 1; ; tried += 1) {
    try {
      const placed = await merchant.place(quote, terms);
      return { kind: 'bought', bought: await merchant.pay(placed, quote, terms) };
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      const waitMs = tried < MAX_WAITS ? askedWait(error) : undefined;
      if (waitMs === undefined || stop.aborted) return { kind: 'error', error };
      const isStopped = await pause(clock, waitMs, stop).then(
        () => false,
        expected(() => true, 'INTERRUPTED'),
      );
      if (isStopped) return { kind: 'left', cause: undefined };
    }
  }
}

/**
 * Returns how long the merchant asks to wait before the next try; undefined when no retry makes sense. Only
 * before anything was signed.
 */
function askedWait({ code, fundsAtRisk, details }: ScripError): number | undefined {
  if ((code !== 'RATE_LIMITED' && code !== 'SHOP_FULL') || fundsAtRisk !== 'none') return undefined;
  const { retry_after_ms: asked } = details;
  const waitMs = typeof asked === 'number' ? asked : DEFAULT_WAIT_MS;
  return waitMs > RETRY_AFTER_CAP_MS ? undefined : waitMs;
}

function fatalIn(result: BatchResult): ScripError | undefined {
  if (result.kind === 'left') return undefined;
  const error = result.kind === 'bought' ? result.bought.error : result.error;
  return error !== undefined && FATAL.has(error.code) ? error : undefined;
}

/** Age at which a lock expires: this machine cannot check whether a run on another machine has ended. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Holds the lock while `work` runs. A run that died holds no lock.
 * @param name of the cart, the same for every run of it
 * @throws {ScripError} CART_BUSY while another run holds it; JOURNAL_UNUSABLE; what `work` throws
 */
export async function holdCart<T>(
  place: CartPlace,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const number = await take(place, `cart ${name}`);
  try {
    return await work();
  } finally {
    await place.log.release(number);
  }
}

interface CartPlace {
  readonly log: SpendLog;
  readonly clock: Clock;
  readonly host: string;
}

async function take({ log, clock, host }: CartPlace, intentId: string): Promise<number> {
  for (;;) {
    const nowMs = clock.now();
    const { last, held } = await log.read(nowMs - FORGOTTEN_AFTER_MS);
    const other = held.find(
      (mark) => mark.intentId === intentId && nowMs - mark.atMs < FORGOTTEN_AFTER_MS,
    );
    if (other !== undefined) throw busy(other.owner.pid);
    const slot = { intentId, attempt: CART_ATTEMPT, number: last + 1 };
    // If another process reserved this number first, check again: it may have locked the cart.
    const isFirst = await log.reserve({ ...slot, merchant: host, amountAtomic: '0', atMs: nowMs });
    if (isFirst) return slot.number;
  }
}

function busy(pid: number): ScripError {
  return new ScripError(
    'CART_BUSY',
    t`This cart is being bought by another run (process ${pid}); nothing was sent`,
    { details: { pid } },
  );
}
