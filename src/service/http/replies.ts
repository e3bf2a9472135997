/**
 * Refusals of the checkout host: stable codes on the wire, each with its status
 * (docs/inside/checkout.md).
 */

import type { WireError } from '../../contract/checkout.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';

/**
 * Ours: the interface names the statuses but no codes. Append-only: clients match on the codes. An
 * order with an unknown product is answered with 400, since the body is at fault.
 */
export const WIRE_ERRORS = {
  invalid_request: 400,
  application_required: 400,
  country_not_supported: 400,
  unknown_brand: 400,
  unknown_family: 400,
  value_required: 400,
  value_not_allowed: 400,
  value_out_of_range: 400,
  value_off_step: 400,
  invalid_beneficiary: 400,
  out_of_stock: 400,
  not_active: 400,
  login_required: 400,
  kyc_missing: 400,
  kyc_pending: 400,
  verification_required: 400,
  payment_malformed: 400,
  network_not_supported: 400,
  session_required: 400,
  session_unknown: 400,
  session_expired: 400,
  body_mismatch: 400,
  partner_unauthorized: 401,
  payment_required: 402,
  payment_invalid: 402,
  settlement_failed: 402,
  place_refused: 403,
  order_key_wrong: 403,
  partner_network_refused: 403,
  not_found: 404,
  product_not_found: 404,
  order_not_found: 404,
  method_not_allowed: 405,
  session_mismatch: 409,
  session_used: 409,
  duplicate_settlement: 409,
  payment_identifier_mismatch: 409,
  payment_not_due: 409,
  refund_address_known: 409,
  payload_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  supplier_error: 502,
  facilitator_unavailable: 503,
  shop_full: 503,
} as const satisfies Record<string, number>;

export type WireErrorCode = keyof typeof WIRE_ERRORS;

/** A refusal is an expected outcome, so it is returned, not thrown. */
export interface Refusal {
  readonly refusal: WireErrorCode;
  readonly message: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export function refuse(
  refusal: WireErrorCode,
  message: string,
  more: Partial<Pick<Refusal, 'status' | 'headers'>> = {},
): Refusal {
  return { refusal, message, status: WIRE_ERRORS[refusal], headers: {}, ...more };
}

export function isRefusal(value: object): value is Refusal {
  return 'refusal' in value;
}

/** Retry-After of a 503 that does not say for how long. */
const RETRY_AFTER_MS = 5_000;

const FROM_DOMAIN: Partial<Record<Code, WireErrorCode>> = {
  AMOUNT_INVALID: 'invalid_request',
  INPUT_INVALID: 'invalid_request',
  VALUE_REQUIRED: 'value_required',
  VALUE_NOT_ALLOWED: 'value_not_allowed',
  VALUE_OUT_OF_RANGE: 'value_out_of_range',
  VALUE_OFF_STEP: 'value_off_step',
  EMAIL_INVALID: 'invalid_beneficiary',
  PHONE_INVALID: 'invalid_beneficiary',
  PAYMENT_MALFORMED: 'payment_malformed',
  MERCHANT_ERROR: 'supplier_error',
};

/** Errors of the rail, whose messages name hosts: callers learn only that no payment is accepted. */
const UNAVAILABLE: readonly Code[] = ['FACILITATOR_UNAVAILABLE', 'CHAIN_UNREACHABLE'];

/** Returns the refusal for an error of the domain or a port; undefined for a bug. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ScripError)) return undefined;
  if (error.code === 'SHOP_FULL') {
    const message = 'The shop is full: it takes no more orders now. Nothing was made.';
    return refuse('shop_full', message, { headers: retryAfter(error) });
  }
  if (UNAVAILABLE.includes(error.code)) return unavailable(error);
  const code = FROM_DOMAIN[error.code];
  return code && refuse(code, error.message);
}

/** Nothing was countersigned: the client may send the same request again (interface: 503). */
function unavailable(error: ScripError): Refusal {
  return refuse('facilitator_unavailable', 'The payment facilitator accepts no payments now.', {
    headers: retryAfter(error),
  });
}

function retryAfter({ details: { retryAfterMs } }: ScripError): Readonly<Record<string, string>> {
  const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : RETRY_AFTER_MS;
  return { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) };
}

// Replies in the wire's form: JSON, and the Error body.

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
