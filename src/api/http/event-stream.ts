/** Reads one connection to a stream of server-sent events, until it ends or breaks. */

import type { ErrorEvent, FetchLike } from 'eventsource';
import type { Fetch, Reply } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Said, t } from '../../domain/message/message.ts';

export interface StreamMessage {
  readonly data: string;
  /** Empty if the message has no id. */
  readonly id: string;
}

export interface Connection {
  readonly fetch: Fetch;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the last message read, also from earlier connections; empty if none. */
  readonly lastEventId: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  message(message: StreamMessage): void;
}

export type StreamEnd =
  /** The server sent `stop`: don't reconnect. */
  | { readonly kind: 'stopped' }
  /** HTTP 204: the server has no stream, or no longer. */
  | { readonly kind: 'absent' }
  /** A status that would not change on retry. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'broken'; readonly reason: Said; readonly isSilent?: true };

/** Silence after which a connection counts as dead; the service sends comments more often. */
const IDLE_MS = 40_000;
/** The silence is counted in parts, so that one that begins late is found no later. */
const IDLE_PARTS = 8;
/** Maximum bytes of a line; no order event is longer. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Statuses after which reconnecting does not help. */
const FATAL: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Reads one connection to its end; never throws for errors of the other side. */
export async function readStream(connection: Connection): Promise<StreamEnd> {
  const { EventSource } = await import('eventsource');
  const closing = new AbortController();
  const stop = (): void => closing.abort();
  connection.signal?.addEventListener('abort', stop, { once: true });
  const alive = watchdog(connection.clock, closing.signal);
  const source = new EventSource(connection.url, {
    fetch: streamFetch(connection, { signal: closing.signal, heard: alive.heard }),
  });
  try {
    return await new Promise<StreamEnd>((resolve) => {
      source.addEventListener('message', ({ data, lastEventId }) => {
        connection.message({ data, id: lastEventId });
      });
      source.addEventListener('stop', () => resolve({ kind: 'stopped' }));
      source.addEventListener('error', (event) => resolve(endOf(event)));
      closing.signal.addEventListener('abort', () => resolve(BROKEN_OFF), { once: true });
      alive.silence.then(
        () => resolve({ kind: 'broken', reason: t`silent for ${IDLE_MS} ms`, isSilent: true }),
        () => undefined,
      );
    });
  } finally {
    connection.signal?.removeEventListener('abort', stop);
    // Close after each connection: EventSource would reconnect in its own way, not the interface's.
    source.close();
    closing.abort();
    queueMicrotask(() => source.close());
  }
}

const BROKEN_OFF: StreamEnd = { kind: 'broken', reason: t`closed by this program` };

function endOf({ code, message }: ErrorEvent): StreamEnd {
  if (code === 204) return { kind: 'absent' };
  if (code !== undefined && FATAL.has(code)) return { kind: 'refused', status: code };
  return { kind: 'broken', reason: message ?? t`the connection closed` };
}

function watchdog(clock: Clock, signal: AbortSignal) {
  // Parts instead of the time, so that setting the clock does not look like silence.
  let silentParts = 0;
  const wait = async (): Promise<void> => {
    while (silentParts < IDLE_PARTS) {
      await clock.sleep(IDLE_MS / IDLE_PARTS, signal);
      silentParts += 1;
    }
  };
  return {
    heard: () => {
      silentParts = 0;
    },
    /** Resolves after a silence; rejects when the connection was closed before. */
    silence: wait(),
  };
}

/** Opens the connection for EventSource with our headers, no redirects and bounded lines. */
function streamFetch(
  { fetch, headers, lastEventId }: Connection,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): FetchLike {
  return async (url) => {
    const reply = await fetch(String(url), {
      method: 'GET',
      headers: {
        ...headers,
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
        'cache-control': 'no-store',
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      signal,
      redirect: 'error',
    });
    heard();
    return {
      status: reply.status,
      url: String(url),
      redirected: false,
      // EventSource compares the type with case; media types have none.
      headers: { get: (name) => lowered(name, reply.headers.get(name)) },
      body: reply.body === null ? null : boundedBody(reply.body, heard),
    };
  };
}

function lowered(name: string, value: string | null): string | null {
  return name.toLowerCase() === 'content-type' ? (value?.trim().toLowerCase() ?? null) : value;
}

function boundedBody(
  body: NonNullable<Reply['body']>,
  heard: () => void,
): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let lineBytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      heard();
      const newline = value.lastIndexOf(NEWLINE);
      lineBytes = newline === -1 ? lineBytes + value.length : value.length - newline - 1;
      if (lineBytes > MAX_LINE_BYTES) {
        controller.error(new RangeError('a line of the stream is too long'));
      } else {
        controller.enqueue(value);
      }
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
