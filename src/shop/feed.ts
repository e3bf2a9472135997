/** Reads JSON from the operator's own servers: feeds and suppliers. */

import type { Fetch, FetchInit } from '../contract/fetch.ts';
import { hostLabel } from '../domain/address/loopback.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

export interface Host {
  readonly fetch: Fetch;
  readonly token?: string | undefined;
  readonly timeoutMs: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** @throws {ScripError} MERCHANT_ERROR when there is no answer in time */
export async function ask(
  { fetch, token, timeoutMs }: Host,
  url: string,
  init: Pick<FetchInit, 'method' | 'headers' | 'body'> = {},
): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      ...init,
      headers: {
        accept: 'application/json',
        ...init.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: reply.status, text: await reply.text() };
  } catch (cause) {
    throw new ScripError('MERCHANT_ERROR', t`${hostLabel(url)} did not answer`, {
      cause,
      hint: checkHost(url),
    });
  }
}

/** The text of a feed. @throws {ScripError} MERCHANT_ERROR for any status but 200 */
export async function readFeed(host: Host, url: string): Promise<string> {
  const { status, text } = await ask(host, url);
  if (status === 200) return text;
  throw new ScripError('MERCHANT_ERROR', t`${hostLabel(url)} answered with status ${status}`, {
    hint: checkHost(url),
  });
}

/** The operator is the merchant. */
function checkHost(url: string): Message {
  return t`Check that ${hostLabel(url)} is up, and its address in the configuration.`;
}
