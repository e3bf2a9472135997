/** A request of the user's own that was paid for (x402), and its answer, as the journal keeps them. */

import { parseJson } from '../attempt.ts';
import type { Intent } from './journal.ts';

/** A request, as it is sent each time. */
export interface PaidRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The host's answer, as it came, without the headers that describe only its transfer. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array;
}

/** By which the journal and the policy tell these purchases from products. */
export const REQUEST_KIND = 'request';

/** The request that a purchase is for; undefined for an order. */
export function requestIn({
  kinds,
  body,
  partner,
}: Pick<Intent, 'kinds' | 'body' | 'partner'>): PaidRequest | undefined {
  if (kinds?.[0] !== REQUEST_KIND || partner !== undefined) return undefined;
  const request = Object(parseJson(body)) as Partial<PaidRequest>;
  // A host may call a product of its own a request: an order names no address.
  return typeof request.url === 'string' ? (request as PaidRequest) : undefined;
}

/** What a purchase of a request is called in lists: `GET host/path`. */
export function requestName({ method, url }: Pick<PaidRequest, 'method' | 'url'>): string {
  const { host, pathname } = new URL(url);
  return `${method} ${host}${pathname}`;
}

/** The answer as the code of a delivery. */
export function answerCode({ status, headers, bytes }: KeptAnswer): string {
  return JSON.stringify({ status, headers, body: Buffer.from(bytes).toString('base64') });
}

/** Reads such a code; undefined for any other text. */
export function answerIn(code: string | undefined): KeptAnswer | undefined {
  const kept = Object(parseJson(code ?? '')) as Partial<KeptAnswer> & { readonly body?: unknown };
  const { status, headers, body } = kept;
  const isKept = typeof status === 'number' && Array.isArray(headers) && typeof body === 'string';
  return isKept ? { status, headers, bytes: Buffer.from(body, 'base64') } : undefined;
}

/** The content type that an answer names; null if it names none. */
export function contentType({ headers }: Pick<KeptAnswer, 'headers'>): string | null {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;
}
