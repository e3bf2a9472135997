/** Errors of a whole request on surface B: `{status, detail, moreDetails?}` (interface: Errors). */
import { SUSPENSION_CODES } from '../../contract/codes.ts';
import type { WireTopLevelError } from '../../contract/partner-orders.ts';
import { jsonReply, PRIVATE_HEADERS, type Refusal, WIRE_ERRORS } from '../http/replies.ts';
import type { Problem } from './rules/rules.ts';

/**
 * Ours: the interface names only the two suspensions. Besides these, `detail` may be any code of
 * the checkout host in capitals, such as `INVALID_REQUEST` (docs/inside/partner-catalog.md).
 * Append-only.
 */
const FAILURES = {
  UNKNOWN_COIN: 400,
  UNKNOWN_PAYMENT_METHOD: 400,
  COIN_MISMATCH: 400,
  ORDER_HAS_PROBLEMS: 400,
  IDEMPOTENCY_KEY_REUSED: 409,
  ORDER_IS_OVER: 409,
} as const satisfies Record<string, number>;

/** All values of `detail` with their status. */
export const PARTNER_ERRORS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(WIRE_ERRORS).map(([code, of]) => [code.toUpperCase(), of])),
  ...Object.fromEntries(Object.keys(SUSPENSION_CODES).map((code) => [code, 400])),
  ...FAILURES,
};

/** Answers with one of our own codes. */
export function failure(
  detail: keyof typeof FAILURES,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): Response {
  return topLevelError({ status: FAILURES[detail], detail, moreDetails: { message, ...more } });
}

/** Refuses a creation with problems: in `problems`, as a validation has them, and in `moreDetails`. */
export function refusedFor(message: string, problems: readonly Problem[]): Response {
  const detail = 'ORDER_HAS_PROBLEMS';
  const status = FAILURES[detail];
  const told = problems.map((problem) => ({ ...problem }));
  return topLevelError({ status, detail, problems: told, moreDetails: { message, problems } });
}

export function topLevelError(
  error: WireTopLevelError & { readonly status: number },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonReply(error, error.status, { ...PRIVATE_HEADERS, ...headers });
}

/** Converts a refusal of routing, pricing or the domain to this surface's form. */
export function partnerRefusal({ refusal, message, status, headers }: Refusal): Response {
  const detail = refusal.toUpperCase();
  return topLevelError({ status, detail, moreDetails: { message } }, headers);
}
