/** Calls any endpoint of the wire: validates input and output, maps failures to errors, retries reads. */

import { type Endpoint, pathFields } from '../../contract/endpoint.ts';
import type { Fetch } from '../../contract/fetch.ts';
import { readPlain, readPlainRows } from '../../contract/plain.ts';
import { firstFault, plainIssues } from '../../contract/plain-issues.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { RETRYABLE_BEFORE_SIGNING, waitBeforeRetry } from '../../domain/payment/retry.ts';
import type { Exchange } from './exchange.ts';
import { BODY_CAP_BYTES, exchange, hostOf, LIST_CAP_BYTES } from './exchange.ts';
import { merchantError } from './merchant-error.ts';
import { pause, startStopwatch } from './pause.ts';
import { replyJson } from './reply-form.ts';
import { readTolerantly } from './tolerant.ts';

export interface CallOptions {
  /** Clock for the waits between retries of a read; without it, nothing is retried. */
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time limit of each try. */
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const CALL_TIMEOUT_MS = 20_000;
/**
 * For calls that make or price an order: longer than a shop waits for its supplier (20 s) and its node (10 s)
 * together, so that the shop can say which of them is slow.
 */
export const MAKING_TIMEOUT_MS = 35_000;
const MAX_TRIES = 3;

/** Meaning of a 404, by endpoint: the wire has one status for all kinds of things. */
const NOT_FOUND: Readonly<Record<string, Code>> = {
  getPrice: 'PRODUCT_UNKNOWN',
  getOrder: 'ORDER_UNKNOWN',
  getOrderStatus: 'ORDER_UNKNOWN',
};

/**
 * Sends one request to a host, and retries reads.
 * @param baseUrl address without a trailing slash
 * @throws {ScripError} INPUT_INVALID before anything is sent; NETWORK_UNREACHABLE, RATE_LIMITED,
 * MERCHANT_ERROR, MERCHANT_REFUSED, MERCHANT_REPLY_INVALID, PRODUCT_UNKNOWN, ORDER_UNKNOWN and the codes for
 * a merchant's own error codes; INTERRUPTED when the signal aborts
 */
export async function call<In, Out>(
  fetch: Fetch,
  baseUrl: string,
  endpoint: Endpoint<In, Out>,
  input: In,
  options: CallOptions = {},
): Promise<Out> {
  const request = requestFor(endpoint, input, baseUrl, options.headers);
  const { clock } = options;
  const tries = endpoint.hints.readOnly && clock !== undefined ? MAX_TRIES : 1;
  const budgetMs = options.timeoutMs ?? CALL_TIMEOUT_MS;
  const watch = clock && startStopwatch(clock);
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask(fetch, endpoint, { ...request, asked: input }, options);
    } catch (error) {
      const waitMs =
        tried < tries ? waitBeforeRetry(error, tried, RETRYABLE_BEFORE_SIGNING) : undefined;
      if (waitMs === undefined || clock === undefined || watch === undefined) throw error;
      // Don't retry once the time budget is spent.
      if (watch.elapsedMs() >= budgetMs) throw error;
      await pause(clock, waitMs, options.signal);
      watch.waited(waitMs);
    }
  }
}

type Request = Pick<Exchange, 'url' | 'init'>;

async function ask<In, Out>(
  fetch: Fetch,
  endpoint: Endpoint<In, Out>,
  { url, init, asked }: Request & { readonly asked: In },
  options: CallOptions,
): Promise<Out> {
  const host = hostOf(url);
  const answer = await exchange({
    fetch,
    url,
    init,
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? CALL_TIMEOUT_MS,
    capBytes: isList(endpoint) ? LIST_CAP_BYTES : BODY_CAP_BYTES,
  });
  const { name, path } = endpoint;
  if (answer.status !== 200) {
    const nowMs = options.clock?.now();
    throw merchantError(answer, { host, notFound: NOT_FOUND[name], nowMs });
  }
  const json = replyJson(endpoint, answer.text, Object(asked));
  const rows = endpoint.plain && readPlainRows(endpoint.plain.row, json);
  // The schema is made from the shape of these rows.
  if (rows !== undefined) return rows as Out;
  const reading = readTolerantly(endpoint.output(), json);
  if (reading.isValid) return reading.value;
  throw new ScripError(
    'MERCHANT_REPLY_INVALID',
    t`${host} returned an unexpected response for ${path}, not ${name} (${reading.problem})`,
  );
}

function isList({ plain, output }: Endpoint): boolean {
  return plain !== undefined || output().def.type === 'array';
}

/** Builds the request of an endpoint. @throws {ScripError} INPUT_INVALID */
function requestFor<In, Out>(
  endpoint: Endpoint<In, Out>,
  input: In,
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Request {
  const fields = checkedInput(endpoint, input);
  const inPath = pathFields(endpoint.path);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(String(fields[name])),
  );
  const rest = Object.entries(fields).filter(
    ([name, value]) => !inPath.includes(name) && value !== undefined,
  );
  const accept = { accept: 'application/json', ...headers };
  if (endpoint.method === 'GET') {
    return { url: `${baseUrl}${path}${queryOf(rest)}`, init: { method: 'GET', headers: accept } };
  }
  return {
    url: `${baseUrl}${path}`,
    init: {
      method: endpoint.method,
      headers: { ...accept, 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(rest)),
    },
  };
}

function checkedInput<In, Out>(
  endpoint: Endpoint<In, Out>,
  input: In,
): Readonly<Record<string, unknown>> {
  const plain = endpoint.plain && readPlain(endpoint.plain.input, input);
  if (plain !== undefined) return plain;
  const checked = endpoint.input().safeParse(input);
  if (checked.success) return checked.data as Readonly<Record<string, unknown>>;
  const issues = plainIssues(endpoint.input(), input).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  throw new ScripError('INPUT_INVALID', verbatim(firstFault(endpoint.input(), input)), {
    details: { issues },
  });
}

/**
 * Encodes an identifier as a path segment.
 * @throws {ScripError} INPUT_INVALID for one that cannot be a segment
 */
export function pathSegment(text: string): string {
  // URL parsers resolve dot segments, encoded or not: the request would reach another resource.
  if (/^\.{1,2}$/.test(text))
    throw new ScripError('INPUT_INVALID', t`"${text}" is not an identifier`);
  return encoded(text);
}

/** Percent-encodes; rejects lone surrogates, which a merchant's JSON may hold but a URL cannot. */
function encoded(text: string): string {
  if (!/[\ud800-\udfff]/u.test(text)) return encodeURIComponent(text);
  throw new ScripError(
    'INPUT_INVALID',
    t`"${text}" contains an incomplete character (a lone surrogate)`,
  );
}

/** Builds a query with plain `&` (interface, Partner API rule 5), spaces as %20. */
function queryOf(fields: readonly (readonly [string, unknown])[]): string {
  const pairs = fields.map(([name, value]) => `${name}=${encoded(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
