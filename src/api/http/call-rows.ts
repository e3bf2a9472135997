/** A long list, read while it still comes in: the same rows, checks and errors as `call`. */

import type { Endpoint } from '../../contract/endpoint.ts';
import type { Fetch, Reply } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Said } from '../../domain/message.ts';
import { RETRYABLE_BEFORE_SIGNING, waitBeforeRetry } from '../../domain/retry.ts';
import {
  CALL_TIMEOUT_MS,
  type CallOptions,
  MAX_TRIES,
  notOfInterface,
  type Request,
  refusal,
  requestFor,
} from './call.ts';
import { withDeadline } from './deadline.ts';
import { explained, hostOf, LIST_CAP_BYTES, refuseRedirect, textPieces } from './exchange.ts';
import { createListSplitter } from './list-splitter.ts';
import { pause } from './pause.ts';
import { startStopwatch } from './stopwatch.ts';
import { readTolerantly } from './tolerant.ts';

interface RowOptions extends CallOptions {
  readonly clock: Clock;
  /** Told to forget the rows so far: the list is asked for anew. Without it rows are final. */
  readonly startOver?: () => void;
}

/**
 * Asks for a list and gives its rows as they arrive, some at a time. Nothing more is read of it until
 * the rows given were taken; a caller that leaves closes the connection. A failure that another
 * try may mend is tried again until the first row was given, or from the start where `startOver` is.
 * @throws {ScripError} as `call`; after some rows as well, which are then not the whole list
 */
export async function* callRows<In, Row>(
  fetch: Fetch,
  baseUrl: string,
  endpoint: Endpoint<In, readonly Row[]>,
  input: In,
  options: RowOptions,
): AsyncGenerator<readonly Row[]> {
  const request = requestFor(endpoint, input, baseUrl, options.headers);
  const { startOver, timeoutMs = CALL_TIMEOUT_MS } = options;
  const watch = startStopwatch(options.clock);
  for (let tried = 1; ; tried += 1) {
    let isBegun = false;
    try {
      for await (const rows of askRows(fetch, endpoint, request, options)) {
        isBegun = true;
        yield rows;
      }
      return;
    } catch (error) {
      const mayRetry = (!isBegun || startOver !== undefined) && tried < MAX_TRIES;
      const waitMs = mayRetry ? waitBeforeRetry(error, tried, RETRYABLE_BEFORE_SIGNING) : undefined;
      // Whoever took all of the time is not given it again.
      if (waitMs === undefined || watch.elapsedMs() >= timeoutMs) throw error;
      await pause(options.clock, waitMs, options.signal);
      watch.waited(waitMs);
      if (isBegun) startOver?.();
    }
  }
}

async function* askRows<In, Row>(
  fetch: Fetch,
  endpoint: Endpoint<In, readonly Row[]>,
  request: Request,
  options: RowOptions,
): AsyncGenerator<readonly Row[]> {
  const host = hostOf(request.url);
  const hangUp = new AbortController();
  const wait = waitOf(options);
  const signal = options.signal ? AbortSignal.any([options.signal, hangUp.signal]) : hangUp.signal;
  try {
    const ask = () => fetch(request.url, { ...request.init, redirect: 'error', signal });
    const reply = await wait(host, ask);
    refuseRedirect(reply, host);
    const pieces = piecesOf(reply, host, wait);
    if (reply.status !== 200) {
      const text = await joined(pieces);
      throw refusal(
        endpoint,
        { status: reply.status, headers: reply.headers, text },
        host,
        options,
      );
    }
    yield* rowsOf(endpoint, host, pieces);
  } finally {
    hangUp.abort();
  }
}

async function* rowsOf<In, Row>(
  endpoint: Endpoint<In, readonly Row[]>,
  host: Said,
  pieces: AsyncIterable<string>,
): AsyncGenerator<readonly Row[]> {
  const schema = endpoint.output();
  const splitter = createListSplitter();
  let count = 0;
  const checked = (json: unknown): readonly Row[] => {
    const reading = readTolerantly(schema, json, count);
    if (!reading.isValid) throw notOfInterface(endpoint, host, reading.problem);
    count += reading.value.length;
    return reading.value;
  };
  for await (const piece of pieces) {
    const rows = checked(splitter.push(piece));
    if (rows.length > 0) yield rows;
  }
  const end = splitter.end();
  const rows = checked(end.isList ? end.rest : end.whole);
  if (rows.length > 0) yield rows;
}

type Wait = <T>(host: Said, work: () => Promise<T>) => Promise<T>;

/** Waits for the host, in all no longer than for one call; what a slow reader takes is not counted. */
function waitOf({ clock, signal, timeoutMs = CALL_TIMEOUT_MS }: RowOptions): Wait {
  let leftMs = timeoutMs;
  return async (host, work) => {
    const watch = startStopwatch(clock);
    try {
      if (leftMs <= 0) throw new DOMException('no time is left', 'TimeoutError');
      return await withDeadline(leftMs, signal, work);
    } catch (error) {
      throw explained(error, { signal, timeoutMs }, host);
    } finally {
      leftMs -= watch.elapsedMs();
    }
  };
}

async function* piecesOf(reply: Reply, host: Said, wait: Wait): AsyncGenerator<string> {
  const pieces = textPieces(reply, LIST_CAP_BYTES, host);
  for (;;) {
    const next = await wait(host, () => pieces.next());
    if (next.done === true) return;
    yield next.value;
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
