/**
 * Streams of orders. This process's changes arrive when they are committed; those of other
 * processes by reading the event table once for all streams. An idle stream costs nothing.
 */

import type { Clock } from '../../../domain/clock.ts';
import {
  clientShouldStop,
  isTerminal,
  type OrderStates,
} from '../../../domain/order/order-states.ts';
import type { Others, Store } from '../../../store/store.ts';
import type { OrderEventRow } from '../../../store/tables/order-events.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';

/** Target of a stream: a socket, or the body of a `Response`. */
export interface StreamSink {
  /** Returns false if the reader is behind; then write nothing until `drained` is called. */
  write(text: string): boolean;
  end(): void;
  /** Ends it without waiting for unread data. */
  cut(): void;
}

/** One stream; `seq` is the last event sent. */
export interface Follower {
  readonly orderId: string;
  readonly sink: StreamSink;
  seq: number;
  /** Whether to send the current order instead of missed events. */
  needsSnapshot: boolean;
  isBehind: boolean;
  /** A reader that is behind has read nothing since. */
  lastWriteMs: number;
  /** Whether the caller is still admitted; asked before anything of the order is sent. */
  mayRead(): Promise<boolean>;
}

/** Ours: the interface sets no limits on streams. */
const STREAM_LIMITS = { perOrder: 3, perProcess: 1_000 };

interface HubDeps {
  readonly store: Pick<Store, 'tables' | 'others'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly streamLimits?: typeof STREAM_LIMITS;
  /** The order on the wire. */
  view(row: PartnerOrderRow): Promise<unknown>;
  report?(error: unknown): void;
}

/** Node 20 clients give up a silent stream after 300 s, proxies often after 60. */
const KEEP_ALIVE_MS = 15_000;
/** A reader that takes nothing for so long blocks a place. */
const STALLED_MS = 10_000;
const EVENTS_PER_LOOK = 1_000;
/** Notifications of other servers may be lost, so check all followed orders at this interval. */
const WHOLE_LOOK_MS = 5_000;

export type OrderHub = ReturnType<typeof createOrderHub>;

export function createOrderHub(deps: HubDeps) {
  const { perOrder, perProcess } = deps.streamLimits ?? STREAM_LIMITS;
  const followers = new Map<string, Set<Follower>>();
  const flushing = new Map<string, Promise<void>>();
  const again = new Set<string>();
  let count = 0;
  let position: number | undefined;
  let lastWholeLookMs = 0;

  const leave = (follower: Follower): void => {
    const set = followers.get(follower.orderId);
    if (!set?.delete(follower)) return;
    count -= 1;
    if (set.size === 0) followers.delete(follower.orderId);
  };
  const flushUntilQuiet = async (orderId: string): Promise<void> => {
    do {
      again.delete(orderId);
      await flush(deps, orderId, [...(followers.get(orderId) ?? [])], leave);
    } while (again.has(orderId));
  };
  /** Runs one flush per order at a time; a call during a flush makes it run again. */
  const wake = (orderId: string): Promise<void> => {
    const running = flushing.get(orderId);
    again.add(orderId);
    if (running) return running;
    const work = flushUntilQuiet(orderId)
      .catch((error: unknown) => deps.report?.(error))
      .finally(() => flushing.delete(orderId));
    flushing.set(orderId, work);
    return work;
  };
  const notify = (orderIds: Iterable<string>): void => {
    for (const orderId of orderIds) if (followers.has(orderId)) void wake(orderId);
  };
  const { others } = deps.store;
  /** Handles other servers' changes; checks all followed orders if some may be missed, or at intervals. */
  const hear = (from: Others): void => {
    const changed = from.changedOrders();
    const isOverdue = deps.clock.now() - lastWholeLookMs >= WHOLE_LOOK_MS;
    if (changed === undefined || isOverdue) lastWholeLookMs = deps.clock.now();
    notify(changed === undefined || isOverdue ? [...followers.keys()] : changed);
  };
  const look = async (): Promise<void> => {
    if (others) {
      hear(others);
      return;
    }
    const { orderEvents } = deps.store.tables;
    // The next follower to join reads the position again.
    if (count === 0) position = undefined;
    if (position === undefined) return;
    const news = await orderEvents.after(position, EVENTS_PER_LOOK);
    position = news.at(-1)?.position ?? position;
    notify(new Set(news.map(({ orderId }) => orderId)));
  };

  return {
    /** Returns the limit that one more stream would exceed. */
    fullFor(orderId: string): 'order' | 'process' | undefined {
      if ((followers.get(orderId)?.size ?? 0) >= perOrder) return 'order';
      return count >= perProcess ? 'process' : undefined;
    },
    async join(follower: Follower): Promise<void> {
      const set = followers.get(follower.orderId) ?? new Set();
      followers.set(follower.orderId, set.add(follower));
      count += 1;
      if (!others) position ??= await deps.store.tables.orderEvents.latestPosition();
      await wake(follower.orderId);
    },
    leave,
    /** Call when a follower's reader has caught up. */
    drained(follower: Follower): void {
      if (!follower.isBehind) return;
      follower.isBehind = false;
      void wake(follower.orderId);
    },
    /** Call with the orders whose events this process has just committed. */
    notify,
    /** Reads other processes' events, and keeps quiet streams alive. */
    async tick() {
      await look();
      for (const each of [...followers.values()].flatMap((set) => [...set])) {
        if (isStalled(deps, each)) {
          leave(each);
          each.sink.cut();
        } else keepAlive(deps, each);
      }
    },
    /** Ends all streams; clients reconnect with their last event id. */
    close() {
      for (const set of [...followers.values()]) {
        for (const follower of [...set]) {
          leave(follower);
          follower.sink.end();
        }
      }
    },
    get count() {
      return count;
    },
  };
}

/** Whether to close the stream; its client reconnects with its last event id and gets the current order. */
function isStalled({ clock }: HubDeps, { isBehind, lastWriteMs }: Follower): boolean {
  return isBehind && clock.now() - lastWriteMs >= STALLED_MS;
}

function keepAlive({ clock }: HubDeps, follower: Follower): void {
  if (follower.isBehind || clock.now() - follower.lastWriteMs < KEEP_ALIVE_MS) return;
  write(follower, COMMENT, clock.now());
}

/** Writes to a follower. Nothing is queued for a reader that is behind: later it gets the current order. */
function write(follower: Follower, text: string, nowMs: number): void {
  follower.lastWriteMs = nowMs;
  follower.isBehind = !follower.sink.write(text);
}

/** Updates all followers of an order; reads and renders the order once for all. */
async function flush(
  deps: HubDeps,
  orderId: string,
  all: readonly Follower[],
  leave: (follower: Follower) => void,
): Promise<void> {
  const ready = all.filter(({ isBehind }) => !isBehind);
  for (const follower of all) if (follower.isBehind) follower.needsSnapshot = true;
  if (ready.length === 0) return;
  const { orderEvents, partnerOrders } = deps.store.tables;
  const eventsNow = () => orderEvents.since(orderId, Math.min(...ready.map(({ seq }) => seq)));
  let events = await eventsNow();
  // Read the order after its events, so it is never older than they are.
  const row = await partnerOrders.byId(orderId);
  if (!row) return;
  // It may have ended between the two reads: without that event it would look as if there were none.
  if (events.length === 0 && isOver(row)) events = await eventsNow();
  const isEnd = endsWith(row, events.at(-1));
  const update = createWriter(deps, row, { events, isEnd });
  for (const follower of ready) {
    const isAdmitted = await follower.mayRead();
    if (isAdmitted) await update(follower);
    if (isAdmitted && !isEnd) continue;
    leave(follower);
    follower.sink.end();
  }
}

/** If the order ended after its events were read, wait for that event before ending the streams. */
function endsWith(row: PartnerOrderRow, newest: OrderEventRow | undefined): boolean {
  if (!isOver(row)) return false;
  if (!newest) return true;
  const { orderState, paymentState } = statesOf(newest, row);
  return orderState === row.orderState && paymentState === row.paymentState;
}

function isOver(row: PartnerOrderRow): boolean {
  return clientShouldStop(row) || isTerminal(row);
}

interface News {
  readonly events: readonly OrderEventRow[];
  readonly isEnd: boolean;
}

function createWriter(
  deps: HubDeps,
  row: PartnerOrderRow,
  { events, isEnd }: News,
): (follower: Follower) => Promise<void> {
  const texts = new Map<number, string>();
  const textOf = async (seq: number, states: OrderStates): Promise<string> => {
    const known = texts.get(seq) ?? messageText(seq, await deps.view({ ...row, ...states }));
    texts.set(seq, known);
    return known;
  };
  const newest = events.at(-1)?.seq;
  return async (follower) => {
    const missed = follower.needsSnapshot ? [] : events.filter(({ seq }) => seq > follower.seq);
    const parts: string[] = [];
    const lastSeq = newest ?? follower.seq;
    for (const event of missed) parts.push(await textOf(event.seq, statesOf(event, row)));
    // A stream always ends with the current order, even if the client already has it.
    const isWhole = follower.needsSnapshot || (isEnd && missed.length === 0);
    if (isWhole) parts.push(messageText(lastSeq, await deps.view(row)));
    if (isEnd) parts.push(stopText(lastSeq));
    follower.seq = lastSeq;
    follower.needsSnapshot = false;
    if (parts.length > 0) write(follower, parts.join(''), deps.clock.now());
  };
}

/** Sends a missed event as the current order with the states of that event. */
function statesOf(event: OrderEventRow, row: PartnerOrderRow): OrderStates {
  const body: unknown = JSON.parse(event.body);
  const { order_state, payment_state } = Object(body);
  return {
    orderState: order_state ?? row.orderState,
    paymentState: payment_state ?? row.paymentState,
  };
}

// The text of an event stream (WHATWG HTML, "Server-sent events").

/** Sent first: the delay before reconnecting, and something to read at once. */
export const OPENING = 'retry: 1000\n: order\n\n';
const COMMENT = ': still here\n\n';

/** JSON text has no line breaks, so it fits one `data` line. */
function messageText(seq: number, order: unknown): string {
  return `id: ${seq}\ndata: ${JSON.stringify(order)}\n\n`;
}

/** Browsers drop an event without data. */
function stopText(seq: number): string {
  return `id: ${seq}\nevent: stop\ndata: {}\n\n`;
}
