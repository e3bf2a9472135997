/** Sends one request and reads its whole response, limited in size and time. */

import type { Fetch, FetchInit, Reply } from '../../contract/fetch.ts';
import { hostLabel } from '../../domain/address/loopback.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { withDeadline } from './deadline.ts';
import { stopped } from './pause.ts';

/** Enough for any single resource of the interface; lists of brands and products get more. */
export const BODY_CAP_BYTES = 2 * 1024 * 1024;
export const LIST_CAP_BYTES = 64 * 1024 * 1024;

export interface Exchange {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: Omit<FetchInit, 'signal' | 'redirect'>;
  readonly timeoutMs: number;
  readonly capBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** `manual` returns a redirect like any other response; default: it is refused. */
  readonly redirect?: 'manual';
}

/** A response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Reply['headers'];
  readonly bytes: Uint8Array;
  /** The same in UTF-8. */
  readonly text: string;
}

/**
 * Sends a request, never follows a redirect, and reads the body.
 * @throws {ScripError} NETWORK_UNREACHABLE, REDIRECT_REFUSED, MERCHANT_REPLY_INVALID (too large), INTERRUPTED
 * when `signal` aborts
 */
export async function exchange(request: Exchange): Promise<Answer> {
  const { fetch, url, init, timeoutMs, signal, redirect = 'error' } = request;
  const host = hostOf(url);
  try {
    const answer = await withDeadline(timeoutMs, signal, async (inner) => {
      const reply = await fetch(url, { ...init, redirect, signal: inner });
      const bytes = await readBytes(reply, request.capBytes, host);
      const { status, headers } = reply;
      return { status, headers, bytes, text: new TextDecoder().decode(bytes) };
    });
    if (redirect === 'error') refuseRedirect(answer, host);
    return answer;
  } catch (error) {
    throw explained(error, request, host);
  }
}

export function hostOf(url: string): Said {
  return hostLabel(url);
}

/** @throws {ScripError} MERCHANT_REPLY_INVALID when it is longer, by the bytes received */
async function readBytes({ body }: Reply, capBytes: number, host: Said): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    chunks.push(chunk);
    if (length > capBytes) {
      throw new ScripError('MERCHANT_REPLY_INVALID', t`${host} sent more than ${capBytes} bytes`);
    }
  }
  return Buffer.concat(chunks);
}

/** @throws {ScripError} REDIRECT_REFUSED for a redirect status */
function refuseRedirect({ status }: Pick<Reply, 'status'>, host: Said): void {
  if (status < 300 || status >= 400 || status === 304) return;
  throw new ScripError('REDIRECT_REFUSED', t`${host} answered with a redirect`, {
    details: { status },
  });
}

/** Converts a network failure to one of our errors. */
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
  const seconds = Math.ceil(request.timeoutMs / 1_000);
  const what = isTimeout ? t`did not answer within ${seconds} s` : t`is unreachable`;
  const reason = isTimeout ? undefined : networkCode(error);
  return new ScripError(
    'NETWORK_UNREACHABLE',
    t`${host} ${what}${reason === undefined ? '' : ` (${reason})`}`,
    { cause: error, details: { host } },
  );
}

/** Returns a code such as ECONNREFUSED, from the error or from its cause, where the global fetch puts it. */
function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return networkCode(error.cause);
}
