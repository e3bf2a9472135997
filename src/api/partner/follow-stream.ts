/**
 * Follows an order of the partner API: by its stream, with the interface's reconnection rules, or by polling
 * every 30 seconds when there is no stream. Stream messages are hints; the final state is read again.
 */

import {
  getOrderStatus,
  subscribeOrder,
  type WirePartnerOrder,
} from '../../contract/partner-orders.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t, verbatim } from '../../domain/message/message.ts';
import { clientShouldStop } from '../../domain/order/order-states.ts';
import { RETRYABLE_AFTER_SENDING } from '../../domain/payment/retry.ts';
import { readPartnerOrder } from '../checkout/order-form.ts';
import { pathSegment } from '../http/call.ts';
import {
  type Connection,
  readStream,
  type StreamEnd,
  type StreamMessage,
} from '../http/event-stream.ts';
import { pause, startStopwatch } from '../http/pause.ts';
import type { FollowOptions } from '../merchant.ts';
import { callPartner, type PartnerHost, partnerHeaders } from './partner.ts';

export interface FollowPartnerRequest
  extends Omit<FollowOptions, 'leastPollMs' | 'calledAs' | 'seen'> {
  readonly host: PartnerHost;
  readonly orderId: string;
  /** Pause between polls; 30 s by the interface. */
  readonly pollMs?: number;
  /** Called with each order read, changed or not. */
  readonly seen?: (order: WirePartnerOrder) => void;
  /** Reads one connection; `readStream` by default. */
  readonly connect?: (connection: Connection) => Promise<StreamEnd>;
}

export interface FollowedPartner {
  /** The last order read. */
  readonly order: WirePartnerOrder;
  /** Whether it has ended by the interface's completion rule. */
  readonly isDecided: boolean;
}

/** Interface, Limits: partner order status. */
export const PARTNER_POLL_MS = 30_000;
const FIRST_DELAY_MS = 1_000;
const DELAY_CAP_MS = 30_000;
/** After this many connections in a row without a valid message, `auto` only polls. */
const HOPELESS = 8;
const MAX_ID_CHARACTERS = 256;
const PATIENCE_PIECE_MS = 10_000;

/**
 * Returns the wait before reconnection number `failures`, counted from the last valid message (interface:
 * Events, 1).
 */
export function reconnectDelayMs(failures: number): number {
  return Math.min(DELAY_CAP_MS, FIRST_DELAY_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10));
}

/**
 * Follows until the order is final or the time is up.
 * @throws {ScripError} ORDER_UNKNOWN and other errors of `call` when no order was ever read; STREAM_ENDED in
 * mode `sse` when there is no stream; INTERRUPTED
 */
export async function followPartnerOrder(request: FollowPartnerRequest): Promise<FollowedPartner> {
  const follower = startFollowing(request);
  await follower.read();
  if (follower.isOver()) return follower.result();
  if (request.mode === 'poll') return poll(follower, request);
  const failure = await stream(follower, request);
  if (follower.isOver()) return follower.result();
  if (request.mode === 'sse') {
    throw new ScripError(
      'STREAM_ENDED',
      t`There is no stream of order ${request.orderId} (${failure})`,
    );
  }
  return poll(follower, request);
}

type Follower = ReturnType<typeof startFollowing>;

function startFollowing(request: FollowPartnerRequest) {
  const { host, orderId, timeoutMs } = request;
  const watch = startStopwatch(host.clock);
  const state: { last?: WirePartnerOrder; failure?: ScripError } = {};
  const isDecided = (): boolean => state.last !== undefined && isEnd(state.last);
  const take = (order: WirePartnerOrder): void => {
    state.last = order;
    request.seen?.(order);
  };
  const keep = (error: ScripError): void => {
    if (timeoutMs === 0) throw error;
    state.failure = error;
    request.unanswered?.(error);
  };
  return {
    watch,
    isDecided,
    take,
    /** Keeps a temporary error for `result`, unless there is time for only one try. */
    read: () =>
      callPartner(host, getOrderStatus, { order_id: orderId })
        .then(take)
        .catch(expected(keep, ...RETRYABLE_AFTER_SENDING)),
    /** Final, or out of time. */
    isOver: () => isDecided() || watch.elapsedMs() >= timeoutMs,
    result(): FollowedPartner {
      if (state.last !== undefined) return { order: state.last, isDecided: isDecided() };
      throw state.failure ?? new ScripError('INTERNAL', verbatim('no order was read'));
    },
  };
}

function isEnd({ order_state, payment_state }: WirePartnerOrder): boolean {
  return clientShouldStop({ orderState: order_state, paymentState: payment_state });
}

async function poll(follower: Follower, request: FollowPartnerRequest): Promise<FollowedPartner> {
  while (!follower.isOver()) {
    await waitFor(follower, request, request.pollMs ?? PARTNER_POLL_MS);
    await follower.read();
  }
  return follower.result();
}

/** Waits, but not beyond the deadline. */
async function waitFor(
  { watch }: Follower,
  { host, timeoutMs }: FollowPartnerRequest,
  ms: number,
): Promise<void> {
  const waitMs = Math.min(ms, Math.max(0, timeoutMs - watch.elapsedMs()));
  await pause(host.clock, waitMs, host.signal);
  watch.waited(waitMs);
}

/** Reconnects until the order is final, the time is up, or reconnecting is useless; returns why. */
async function stream(follower: Follower, request: FollowPartnerRequest): Promise<Said> {
  let failures = 0;
  let lastEventId = '';
  for (;;) {
    const seen = { valid: 0 };
    const end = await connectOnce(follower, request, {
      lastEventId,
      message: ({ data, id }) => {
        // The id is sent back in a header, so drop ids that do not fit into one.
        if (id !== '' && isHeaderSafe(id)) lastEventId = id;
        const order = readMessage(data, request.orderId);
        if (order === undefined) return;
        seen.valid += 1;
        follower.take(order);
      },
    });
    throwIfStopped(request);
    failures = seen.valid > 0 ? 1 : failures + 1;
    if (end.kind !== 'broken') {
      await follower.read();
      return describe(end);
    }
    if (follower.isOver()) {
      if (follower.isDecided()) await follower.read();
      return end.reason;
    }
    // A stream that never says a byte, such as behind a proxy that buffers it, would hide the end each time.
    const isMute = end.isSilent === true && seen.valid === 0;
    if (request.mode === 'auto' && (isMute || failures >= HOPELESS)) {
      await follower.read();
      return end.reason;
    }
    const delayMs = reconnectDelayMs(failures);
    request.reconnecting?.(end.reason, delayMs);
    await waitFor(follower, request, delayMs);
    await follower.read();
    if (follower.isOver()) return end.reason;
  }
}

/** Reads one connection; closes it when the order is final, the time is up, or the user stops. */
async function connectOnce(
  follower: Follower,
  request: FollowPartnerRequest,
  own: { readonly lastEventId: string; message(message: StreamMessage): void },
): Promise<StreamEnd> {
  const { host, orderId, connect = readStream } = request;
  const cut = new AbortController();
  const stop = (): void => cut.abort(host.signal?.reason);
  if (host.signal?.aborted === true) stop();
  host.signal?.addEventListener('abort', stop, { once: true });
  const runningOut = runOut(follower, request, cut.signal).then(() => cut.abort());
  try {
    return await connect({
      fetch: host.fetch,
      url: `${host.apiUrl}${subscribeOrder.path.replace('{order_id}', pathSegment(orderId))}`,
      headers: partnerHeaders(host),
      lastEventId: own.lastEventId,
      clock: host.clock,
      signal: cut.signal,
      message: (message) => {
        own.message(message);
        if (follower.isDecided()) cut.abort();
      },
    });
  } finally {
    host.signal?.removeEventListener('abort', stop);
    cut.abort();
    await runningOut;
  }
}

function throwIfStopped({ host, orderId }: FollowPartnerRequest): void {
  if (host.signal?.aborted !== true) return;
  throw new ScripError('INTERRUPTED', t`Stopped while following the order`, {
    cause: host.signal.reason,
    fundsAtRisk: 'none',
    hint: commandText`Run: scrip track ${orderId}`,
  });
}

/** Returns true at the deadline, false when the signal aborts first. */
async function runOut(
  { watch }: Follower,
  { host, timeoutMs }: FollowPartnerRequest,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for (;;) {
      // Wait in pieces: the stopwatch would take a longer wait for a change of the clock.
      const pieceMs = Math.min(PATIENCE_PIECE_MS, timeoutMs - watch.elapsedMs());
      if (pieceMs <= 0) return true;
      await host.clock.sleep(pieceMs, signal);
      watch.waited(pieceMs);
    }
  } catch {
    return false;
  }
}

/** Reads the order in a message; undefined if it holds none, or another order. */
function readMessage(data: string, orderId: string): WirePartnerOrder | undefined {
  const read = readPartnerOrder(data, orderId);
  return read.isValid && read.value.order_id === orderId ? read.value : undefined;
}

function isHeaderSafe(id: string): boolean {
  return id.length <= MAX_ID_CHARACTERS && /^[\x20-\x7e]+$/.test(id);
}

function describe(end: Exclude<StreamEnd, { readonly kind: 'broken' }>): Said {
  if (end.kind === 'refused') return t`status ${end.status}`;
  return end.kind === 'absent' ? 'status 204' : t`the server ended the stream`;
}
