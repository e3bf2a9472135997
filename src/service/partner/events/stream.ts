/** GET /v5/orders/{order_id}/subscribe: sends the order as a server-sent event whenever it changes. */

import type { Hono } from 'hono';
import { ScripError } from '../../../domain/message/errors.ts';
import { t } from '../../../domain/message/message.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { OPEN_TO_PAGES, openToPages } from '../../http/cross-origin.ts';
import type { HeaderReader } from '../../http/ready.ts';
import { isRefusal, PRIVATE_HEADERS, refuse } from '../../http/replies.ts';
import { answer, callerOf } from '../../http/route.ts';
import { orderOfPage } from '../../page/path.ts';
import { partnerRefusal, topLevelError } from '../failure.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { ownOrder } from '../orders/order-routes.ts';
import { type PartnerRequest, streamHeaders } from '../partner-gate.ts';
import { type Follower, OPENING, type OrderHub, type StreamSink } from './order-hub.ts';

/** A stream that may start; it sends nothing before a sink is attached. */
export interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  attach(sink: StreamSink): AttachedStream;
}

export interface AttachedStream {
  /** Call when the reader has caught up. */
  drained(): void;
  /** Call when the reader has disconnected. */
  detach(): void;
}

const HEADERS = {
  ...PRIVATE_HEADERS,
  'Content-Type': 'text/event-stream',
  'X-Accel-Buffering': 'no',
} as const;

/** Streams for programs, with the order in each event, and for payment pages, with empty events. */
export interface StreamHubs {
  readonly hub: OrderHub;
  readonly pageHub: OrderHub;
}

const PAGE_PATH = /^\/pay\/([^/?]+)\/events(?:\?|$)/;
const SUBSCRIBE_PATH = /^\/v5\/orders\/([^/?]+)\/subscribe(?:\?|$)/;
/** Retry-After for a client that finds all streams in use. */
const FULL_RETRY_SECONDS = 30;
/** How far a reader may be behind before it gets the current order instead of missed events. */
const READ_AHEAD_BYTES = 64 * 1024;

/**
 * Opens the stream that a GET of this path (with query) asks for; returns undefined at once for
 * other paths. Reads headers only if needed.
 */
export type FollowOrder = (
  path: string,
  readHeaders: () => HeaderReader,
  readAddress: () => string,
) => Promise<OpenStream | Response> | undefined;

export function followOrders(deps: PartnerOrderDeps, { hub, pageHub }: StreamHubs): FollowOrder {
  return (path, readHeaders, readAddress) => {
    const pageOf = PAGE_PATH.exec(path)?.[1];
    if (pageOf !== undefined) return openPageStream(deps, pageHub, pageOf);
    const orderId = SUBSCRIBE_PATH.exec(path)?.[1];
    if (orderId === undefined) return undefined;
    const headers = streamHeaders(path, readHeaders());
    return openStream(deps, hub, orderId, { headers, address: readAddress() }).then(forPages);
  };
}

/** Adds the headers that `crossOrigin` adds to hono's routes. */
function forPages(opened: OpenStream | Response): OpenStream | Response {
  if (opened instanceof Response) return openToPages(opened);
  return { ...opened, headers: { ...opened.headers, ...OPEN_TO_PAGES } };
}

interface Opening extends Pick<Follower, 'mayRead'> {
  readonly order: PartnerOrderRow;
  readonly lastEventId: string | null;
}

/** Returns the stream of an order to the partner that created it, or the answer that refuses it. */
async function openStream(
  deps: PartnerOrderDeps,
  hub: OrderHub,
  orderId: string,
  asked: PartnerRequest,
): Promise<OpenStream | Response> {
  const refusal = await deps.gate.refusalOf(asked);
  const order = refusal ?? (await ownOrder(deps, orderId, asked.headers));
  if (isRefusal(order)) return partnerRefusal(order);
  const lastEventId = asked.headers.get('Last-Event-ID');
  const mayRead = async () => (await deps.gate.refusalOf(asked)) === undefined;
  return openOn(deps, hub, { order, lastEventId, mayRead });
}

/** The stream of a payment page, for everyone with its link: it says only that the order changed. */
async function openPageStream(
  deps: PartnerOrderDeps,
  pageHub: OrderHub,
  pageId: string,
): Promise<OpenStream | Response> {
  const order = await orderOfPage(deps.store.tables, pageId);
  if (!order) return partnerRefusal(refuse('order_not_found', 'No page has this id.'));
  return openOn(deps, pageHub, { order, lastEventId: null, mayRead: async () => true });
}

async function openOn(
  { clock, report, store }: PartnerOrderDeps,
  hub: OrderHub,
  { order: { orderId }, lastEventId, mayRead }: Opening,
): Promise<OpenStream | Response> {
  const full = hub.fullFor(orderId);
  if (full) return refuseFull(full);
  const seq = resumeAt(lastEventId, await store.tables.orderEvents.latestSeq(orderId));
  return {
    headers: HEADERS,
    attach(sink) {
      const follower: Follower = {
        orderId,
        sink,
        seq: seq ?? 0,
        needsSnapshot: seq === undefined,
        mayRead,
        isBehind: !sink.write(OPENING),
        lastWriteMs: clock.now(),
      };
      hub.join(follower).catch((error: unknown) => {
        report?.(error);
        hub.leave(follower);
        sink.end();
      });
      return { drained: () => hub.drained(follower), detach: () => hub.leave(follower) };
    },
  };
}

/** The same as a hono route, for a service inside a process and for servers other than node:http. */
export function streamRoutes(
  app: Hono,
  deps: PartnerOrderDeps,
  { hub, pageHub }: StreamHubs,
): void {
  app.get('/v5/orders/:order_id/subscribe', (context) =>
    answer(
      async () => {
        const { req } = context;
        const headers = streamHeaders(req.url, req.raw.headers);
        const asked = { headers, address: callerOf(context).address };
        const stream = await openStream(deps, hub, req.param('order_id'), asked);
        return stream instanceof Response ? stream : streamReply(stream);
      },
      { writeRefusal: partnerRefusal },
    ),
  );
  app.get('/pay/:page_id/events', async ({ req }) => {
    const stream = await openPageStream(deps, pageHub, req.param('page_id'));
    return stream instanceof Response ? stream : streamReply(stream);
  });
}

/** Returns the event to resume after; undefined, for a snapshot, if the order has no event with this id. */
function resumeAt(lastEventId: string | null, lastSeq: number): number | undefined {
  if (lastEventId === null || !/^[1-9]\d{0,14}$/.test(lastEventId)) return undefined;
  const seq = Number(lastEventId);
  return seq <= lastSeq ? seq : undefined;
}

function refuseFull(full: 'order' | 'process'): Response {
  const retry = { 'Retry-After': String(FULL_RETRY_SECONDS) };
  const message =
    full === 'order' ? 'This order has the maximum number of streams.' : 'All streams are in use.';
  const status = full === 'order' ? 429 : 503;
  return topLevelError({ status, detail: 'TOO_MANY_STREAMS', moreDetails: { message } }, retry);
}

/** `desiredSize` shows that a reader is behind; `pull` that it has caught up. */
function streamReply(stream: OpenStream): Response {
  const encoder = new TextEncoder();
  let attached: AttachedStream | undefined;
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        attached = stream.attach({
          write(text) {
            if (!isOpen) return false;
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end() {
            if (isOpen) controller.close();
            isOpen = false;
          },
          cut() {
            if (isOpen) controller.error(new ScripError('STREAM_ENDED', t`The reader is too slow`));
            isOpen = false;
          },
        });
      },
      pull: () => attached?.drained(),
      cancel() {
        isOpen = false;
        attached?.detach();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  );
  return new Response(body, { headers: stream.headers });
}
