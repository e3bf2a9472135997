/** Replies in the wire's form: JSON, and the Error body. */
import type { WireError } from '../contract/checkout.ts';
import type { Refusal } from './errors.ts';

/**
 * Answers about money and deliveries are private: no cache may store them, and no link may leak
 * their URL.
 */
export const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
} as const;

export function jsonReply(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

export function errorReply({ refusal, message, status, headers }: Refusal): Response {
  const body: WireError = { error: refusal, message };
  return jsonReply(body, status, { ...PRIVATE_HEADERS, ...headers });
}
