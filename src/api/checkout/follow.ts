/** Follows an order by polling its status until it is final. */

import { getOrder, type WireOrderStatus } from '../../contract/checkout.ts';
import type { Fetch } from '../../contract/fetch.ts';
import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { RETRY_AFTER_CAP_MS, RETRYABLE_AFTER_SENDING } from '../../domain/payment/retry.ts';
import { call } from '../http/call.ts';
import { hostOf } from '../http/exchange.ts';
import { pause, startStopwatch } from '../http/pause.ts';
import type { FollowOptions } from '../merchant.ts';

export interface FollowRequest extends Pick<FollowOptions, 'timeoutMs' | 'unanswered'> {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly orderId: string;
  readonly clock: Clock;
  /** Pause between polls; 5 s by the interface. */
  readonly pollMs?: number;
  /** Time limit for one poll. */
  readonly callMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each status read. */
  readonly seen?: (order: WireOrderStatus) => void;
}

/** Interface, Limits: every 5 to 10 seconds. */
export const POLL_MS = 5_000;

/** Whether an order's status is final. */
export function isTerminal({ status }: WireOrderStatus): boolean {
  return status !== 'processing';
}

/**
 * Polls until the order is completed, failed or expired, or the time is up.
 * @returns the last status read
 * @throws {ScripError} ORDER_UNKNOWN and other errors of `call` when no status was ever read; INTERRUPTED
 * when the signal aborts
 */
export async function followOrder(request: FollowRequest): Promise<WireOrderStatus> {
  const { clock, signal } = request;
  const watch = startStopwatch(clock);
  let last: WireOrderStatus | undefined;
  for (;;) {
    const poll = await pollOnce(request);
    last = poll.order ?? last;
    if (poll.error === undefined) request.seen?.(poll.order);
    else request.unanswered?.(poll.error);
    if (last !== undefined && isTerminal(last)) return last;
    const waitMs = Math.max(request.pollMs ?? POLL_MS, poll.retryAfterMs);
    if (watch.elapsedMs() + waitMs > request.timeoutMs) {
      if (last === undefined) throw poll.error;
      return last;
    }
    await pause(clock, waitMs, signal);
    watch.waited(waitMs);
  }
}

/** One status, or why it could not be read. */
export type Poll =
  | { readonly order: WireOrderStatus; readonly error?: never; readonly retryAfterMs: 0 }
  | { readonly order?: never; readonly error: ScripError; readonly retryAfterMs: number };

/**
 * Reads the status once. Temporary errors are returned as values.
 * @throws {ScripError} errors that would repeat on every poll
 */
export async function pollOnce(
  request: Pick<FollowRequest, 'fetch' | 'baseUrl' | 'orderId' | 'signal' | 'callMs'>,
): Promise<Poll> {
  const { fetch, baseUrl, orderId, signal, callMs } = request;
  const options = { signal, timeoutMs: callMs };
  const poll = await call(fetch, baseUrl, getOrder, { order_id: orderId }, options).then(
    (order) => ({ order, retryAfterMs: 0 }) as const,
    expected(
      (error) => {
        const asked = error.details.retry_after_ms;
        const retryAfterMs = typeof asked === 'number' ? Math.min(asked, RETRY_AFTER_CAP_MS) : 0;
        return { error, retryAfterMs };
      },
      ...RETRYABLE_AFTER_SENDING,
    ),
  );
  // The status of another order says nothing about this one.
  const { order_id: told = orderId } = 'order' in poll ? poll.order : {};
  if (told === orderId) return poll;
  throw new ScripError(
    'MERCHANT_REPLY_INVALID',
    t`${hostOf(baseUrl)} returned the order ${told} instead of ${orderId}`,
  );
}
