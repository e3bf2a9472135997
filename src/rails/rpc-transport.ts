/** Sends JSON-RPC calls over HTTP, singly or in batches, and retries when the node is busy or unreachable. */

import type { Fetch, Reply } from '../contract/fetch.ts';
import { hostLabel } from '../domain/address/loopback.ts';
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t } from '../domain/message/message.ts';
import { parseRetryAfter } from '../domain/payment/retry.ts';

export const DEFAULT_TIMEOUT_MS = 10_000;
/** All methods are safe to repeat: reads change nothing, and the same bytes land at most once. */
const RETRY_DELAYS_MS = [200, 800];
const RETRY_AFTER_MOST_MS = 10_000;
const BUSY_STATUSES = new Set([429, 502, 503, 504]);

export interface TransportOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Per HTTP request. */
  readonly timeoutMs?: number;
}

export interface Transport {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Calls one method with each of these parameters; results are in the same order. */
  requestAll(method: string, list: readonly (readonly unknown[])[]): Promise<readonly unknown[]>;
}

/** The smallest batch limit known of public nodes. */
const BATCH_SIZE = 50;

/** Opens the transport; its calls throw only ScripError CHAIN_UNREACHABLE. */
export function openTransport(options: TransportOptions): Transport {
  // Show only the host: addresses of RPC providers contain keys.
  const rpc = t`The RPC at ${hostLabel(options.url)}`;
  const request: Transport['request'] = async (method, params) => {
    const call = { method, rpc };
    const answer = await send(options, call, { jsonrpc: '2.0', id: 1, method, params });
    return readReply(call, parseReply(call, answer), answer.status);
  };
  let takesBatches = true;
  return {
    request,
    requestAll: async (method, list) => {
      const results: unknown[] = [];
      for (let at = 0; at < list.length; at += BATCH_SIZE) {
        const part = list.slice(at, at + BATCH_SIZE);
        const batch = takesBatches ? await sendBatch(options, { method, rpc }, part) : undefined;
        takesBatches = batch !== undefined;
        // Fall back to single calls if the node does not support batches.
        if (batch !== undefined) results.push(...batch);
        else for (const params of part) results.push(await request(method, params));
      }
      return results;
    },
  };
}

/**
 * Calls a node in this process: no text is written and read again in between.
 * @param answer answers a parsed JSON-RPC call; never throws
 * @param url names the node in messages
 */
export function directTransport(
  answer: (call: unknown) => Promise<unknown>,
  url: string,
): Transport {
  const rpc = t`The RPC at ${hostLabel(url)}`;
  const request: Transport['request'] = async (method, params) =>
    readReply({ method, rpc }, await answer({ jsonrpc: '2.0', id: 1, method, params }), 200);
  return {
    request,
    requestAll: (method, list) => Promise.all(list.map((params) => request(method, params))),
  };
}

/** Returns undefined if the node answers a batch with anything but a list. */
async function sendBatch(
  options: TransportOptions,
  call: Call,
  list: readonly (readonly unknown[])[],
): Promise<readonly unknown[] | undefined> {
  const { method } = call;
  const body = list.map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
  const answer = await send(options, call, body);
  const replies = parseJson(answer.text);
  if (!Array.isArray(replies)) return undefined;
  const byId = new Map(replies.map((reply: unknown) => [field(reply, 'id'), reply]));
  return list.map((_, id) => readReply(call, byId.get(id), answer.status));
}

async function send(options: TransportOptions, call: Call, content: unknown): Promise<HttpAnswer> {
  const body = JSON.stringify(content);
  for (const delayMs of RETRY_DELAYS_MS) {
    const reply = await attempt(options, body).catch((cause) =>
      isFinal(cause) ? away(call, cause) : undefined,
    );
    if (reply && !BUSY_STATUSES.has(reply.status)) return reply;
    const askedMs = parseRetryAfter(reply?.retryAfter ?? null, options.clock.now()) ?? 0;
    // Longer than that a caller does not wait: the node stays busy for it.
    if (reply && askedMs > RETRY_AFTER_MOST_MS) return reply;
    await options.clock.sleep(Math.max(delayMs, askedMs));
  }
  return attempt(options, body).catch((cause) => away(call, cause));
}

/** Whether the same request would fail again, as at a proxy that does not accept the credentials. */
function isFinal(cause: unknown): boolean {
  return cause instanceof ScripError && !cause.retryable;
}

/** Returns the node's own error code, if it sent one: `-32601` is a method it does not serve. */
export function rpcCodeOf(error: unknown): number | undefined {
  if (!(error instanceof ScripError)) return undefined;
  const { rpcCode } = error.details;
  return typeof rpcCode === 'number' ? rpcCode : undefined;
}

interface Call {
  readonly method: string;
  /** The node's name in messages. */
  readonly rpc: Message;
}

interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function attempt(options: TransportOptions, body: string): Promise<HttpAnswer> {
  const reply: Reply = await options.fetch(options.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    // Use real time, not `Clock`: a test that moves its clock must not abort a call.
    signal: AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  });
  const retryAfter = reply.headers.get('retry-after');
  return { status: reply.status, retryAfter, text: await reply.text() };
}

function readReply({ method, rpc }: Call, reply: unknown, status: number): unknown {
  const error = field(reply, 'error');
  if (error !== undefined && error !== null) {
    throw new ScripError('CHAIN_UNREACHABLE', t`${rpc} refused ${method}: ${messageOf(error)}`, {
      details: { method, rpcCode: field(error, 'code'), rpcData: field(error, 'data') },
    });
  }
  if (field(reply, 'result') === undefined) {
    throw new ScripError(
      'CHAIN_UNREACHABLE',
      t`${rpc} answered ${method} with status ${status} and no result`,
    );
  }
  return field(reply, 'result');
}

function parseReply({ method, rpc }: Call, { status, text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ScripError(
      'CHAIN_UNREACHABLE',
      t`${rpc} answered ${method} with status ${status} and no JSON`,
      { cause },
    );
  }
}

function messageOf(error: unknown): Said {
  const message = field(error, 'message');
  return typeof message === 'string' ? message.slice(0, 300) : t`no reason given`;
}

function away({ method, rpc }: Call, cause: unknown): never {
  const hint = cause instanceof ScripError ? cause.hint : undefined;
  throw new ScripError('CHAIN_UNREACHABLE', t`${rpc} did not answer ${method}`, { cause, hint });
}

/** Returns a field of an object; undefined if there is no object or no such field. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Returns text. @throws {ScripError} CHAIN_UNREACHABLE for any other value */
export function asText(value: unknown, what: Message): string {
  return typeof value === 'string' ? value : unreadable(what);
}

/** Returns an array. @throws {ScripError} CHAIN_UNREACHABLE for any other value */
export function asList(value: unknown, what: Message): readonly unknown[] {
  return Array.isArray(value) ? value : unreadable(what);
}

export function unreadable(what: Message): never {
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned an unreadable value: ${what}`);
}
