/** One request and its whole reply, as text of bounded size and within bounded time. */

import type { Fetch, FetchInit, Reply } from '../../contract/fetch.ts';
import { ScripError } from '../../domain/errors.ts';
import { hostLabel } from '../../domain/loopback.ts';
import { type Said, t } from '../../domain/message.ts';
import { withDeadline } from './deadline.ts';
import { stopped } from './pause.ts';

/** Room for any single resource of the interface; lists of brands and products get more. */
export const BODY_CAP_BYTES = 2 * 1024 * 1024;
export const LIST_CAP_BYTES = 64 * 1024 * 1024;

export interface Exchange {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: Omit<FetchInit, 'signal' | 'redirect'>;
  readonly timeoutMs: number;
  readonly capBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A reply, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Reply['headers'];
  readonly text: string;
}

/**
 * Sends, never follows a redirect, and reads the body.
 * @throws {ScripError} NETWORK_UNREACHABLE, REDIRECT_REFUSED, MERCHANT_REPLY_INVALID (too large),
 * INTERRUPTED when `signal` aborts
 */
export async function exchange(request: Exchange): Promise<Answer> {
  const { fetch, url, init, timeoutMs, signal } = request;
  const host = hostOf(url);
  try {
    const answer = await withDeadline(timeoutMs, signal, async (inner) => {
      const reply = await fetch(url, { ...init, redirect: 'error', signal: inner });
      const text = await readText(reply, request.capBytes, host);
      return { status: reply.status, headers: reply.headers, text };
    });
    refuseRedirect(answer, host);
    return answer;
  } catch (error) {
    throw explained(error, request, host);
  }
}

/** The JSON of a body; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function hostOf(url: string): Said {
  return hostLabel(url);
}

/** @throws {ScripError} MERCHANT_REPLY_INVALID when it is longer than `capBytes` */
async function readText({ body }: Reply, capBytes: number, host: Said): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > capBytes) {
      throw new ScripError('MERCHANT_REPLY_INVALID', t`${host} sent more than ${capBytes} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** @throws {ScripError} REDIRECT_REFUSED for a reply that sends elsewhere */
function refuseRedirect({ status }: Pick<Reply, 'status'>, host: Said): void {
  if (status < 300 || status >= 400 || status === 304) return;
  throw new ScripError('REDIRECT_REFUSED', t`${host} answered with a redirect`, {
    details: { status },
  });
}

/** What went wrong between two hosts, in our own words. */
function explained(
  error: unknown,
  request: Pick<Exchange, 'signal' | 'timeoutMs'>,
  host: Said,
): ScripError {
  if (request.signal?.aborted === true) {
    return stopped(t`Stopped while waiting for ${host}`, error);
  }
  if (error instanceof ScripError) return error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const what = isTimeout ? t`did not answer within ${request.timeoutMs} ms` : t`is unreachable`;
  const reason = isTimeout ? undefined : networkCode(error);
  return new ScripError(
    'NETWORK_UNREACHABLE',
    t`${host} ${what}${reason === undefined ? '' : ` (${reason})`}`,
    { cause: error, details: { host } },
  );
}

/** Such as ECONNREFUSED: on the error, or on its cause where the global fetch puts it. */
function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return networkCode(error.cause);
}
