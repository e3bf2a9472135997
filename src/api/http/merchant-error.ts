/** Converts a merchant's error response, its status and body, to one of our errors. */

import { errorBody, type WireError } from '../../contract/checkout.ts';
import { PROBLEM_CODES } from '../../contract/codes.ts';
import { topLevelError } from '../../contract/partner-orders.ts';
import { parseJson } from '../../domain/attempt.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, sentence, t, verbatim } from '../../domain/message/message.ts';
import { parseRetryAfter } from '../../domain/payment/retry.ts';
import type { Answer } from './exchange.ts';

/** The parts of the request that affect the meaning of a status. */
export interface Question {
  readonly host: Said;
  /** Code for a 404 with an error body; a 404 without one is not of this interface. */
  readonly notFound?: Code | undefined;
  /** Whether terms of payment were asked for; a 503 then comes from the facilitator (interface, Errors). */
  readonly isChallenge?: boolean;
  /** Current time, to read a `Retry-After` that is a date. */
  readonly nowMs: number | undefined;
}

// Codes of scrip's own service that say more than the status. Ours: the interface does not name error codes.
const KNOWN: Readonly<Record<string, Code>> = {
  partner_unauthorized: 'PARTNER_UNAUTHORIZED',
  country_not_supported: 'COUNTRY_NOT_SOLD',
  unknown_brand: 'BRAND_UNKNOWN',
  unknown_family: 'FAMILY_UNKNOWN',
  out_of_stock: 'OUT_OF_STOCK',
  invalid_beneficiary: 'BENEFICIARY_INVALID',
  product_not_found: 'PRODUCT_UNKNOWN',
  order_not_found: 'ORDER_UNKNOWN',
  value_required: 'VALUE_REQUIRED',
  value_not_allowed: 'VALUE_NOT_ALLOWED',
  value_out_of_range: 'VALUE_OUT_OF_RANGE',
  value_off_step: 'VALUE_OFF_STEP',
};

/** Mistakes in the user's own order, for which the merchant's sentence is enough without the status. */
const WORDED: ReadonlySet<Code> = new Set([
  'OUT_OF_STOCK',
  'BENEFICIARY_INVALID',
  'PRODUCT_UNKNOWN',
  'VALUE_REQUIRED',
  'VALUE_NOT_ALLOWED',
  'VALUE_OUT_OF_RANGE',
  'VALUE_OFF_STEP',
  'ORDER_PROBLEMS',
]);

/** Maximum length of a merchant's text, which may be hostile or broken. */
const MAX_TEXT = 300;

/** Returns the error for a response with a status other than success. */
export function merchantError(answer: Answer, question: Question): ScripError {
  const partner = partnerError(answer.text);
  const body = wireError(answer.text) ?? partner;
  const retryAfterMs = parseRetryAfter(
    answer.headers.get('retry-after'),
    question.nowMs ?? Infinity,
  );
  const code = codeFor(answer.status, body, question);
  const problem = problemOf(body);
  const later = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
  if (code === 'SHOP_FULL') {
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1_000);
    const hint = t`Nothing was ordered or charged. Try again in ${seconds} seconds.`;
    return new ScripError(code, t`${question.host} is full: it takes no more orders now`, {
      hint: seconds === 0 ? undefined : hint,
      details: { status: answer.status, ...later },
    });
  }
  return new ScripError(
    code,
    (WORDED.has(code) ? ownWords(body) : undefined) ??
      (body === undefined
        ? t`${question.host} answered ${answer.status}`
        : t`${question.host} answered ${answer.status}: ${cut(body.message ?? body.error)}`),
    {
      hint: code === 'ORDER_PROBLEMS' && problem ? sentence(problem.remedy) : undefined,
      details: {
        status: answer.status,
        ...(body === undefined ? {} : { error: cut(body.error) }),
        ...(body?.message === undefined ? {} : { message: cut(body.message) }),
        ...(code === 'ORDER_PROBLEMS' ? { problems: [problem] } : {}),
        ...(partner === undefined ? {} : { detail: partner.detail, more: partner.more }),
        ...later,
      },
    },
  );
}

/** Returns the merchant's sentence, without the path in a request that the user never saw. */
function ownWords(body: WireError | undefined): Message | undefined {
  return body?.message === undefined
    ? undefined
    : verbatim(cut(body.message).replace(/^items\.\d+(\.\w+)*: /, ''));
}

/** Parses an error body; undefined if it is not one. */
export function wireError(text: string): WireError | undefined {
  return errorBody().safeParse(parseJson(text)).data;
}

interface PartnerError extends WireError {
  readonly detail: string;
  readonly more: unknown;
}

/**
 * Reads the error of a whole request to the partner API (interface: Errors, B) like one of the checkout host:
 * scrip's own service uses the same codes there, in capitals.
 */
function partnerError(text: string): PartnerError | undefined {
  const json = parseJson(text);
  const read = topLevelError().safeParse(json).data;
  if (read === undefined) return undefined;
  const detail = cut(read.detail);
  const more = read.moreDetails;
  const message = fieldOf(more, 'message');
  return {
    error: detail.toLowerCase(),
    message: typeof message === 'string' ? message : detail,
    detail,
    // Ours: a refused creation lists its problems beside the detail or in `moreDetails`.
    more: { problems: fieldOf(json, 'problems') ?? fieldOf(more, 'problems'), details: more },
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function codeFor(status: number, body: WireError | undefined, question: Question): Code {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 503) {
    // Nothing is paid yet: what answers a payment is read by `submit`, which takes no 5xx for a refusal.
    if (body?.error === 'shop_full') return 'SHOP_FULL';
    const isNamed = body?.error === 'facilitator_unavailable';
    if (question.isChallenge === true || isNamed) return 'FACILITATOR_UNAVAILABLE';
  }
  if (status >= 500) return 'MERCHANT_ERROR';
  if (body === undefined || status < 400) return 'MERCHANT_REPLY_INVALID';
  // Own keys only: an error named "constructor" is not in the table.
  const known = Object.hasOwn(KNOWN, body.error) ? KNOWN[body.error] : undefined;
  if (known !== undefined) return known;
  if (problemOf(body) !== undefined) return 'ORDER_PROBLEMS';
  return (status === 404 ? question.notFound : undefined) ?? 'MERCHANT_REFUSED';
}

/** Returns the interface's problem code in a refusal, in upper or lower case. */
function problemOf(body: WireError | undefined) {
  const name = body?.error.toUpperCase();
  const known = Object.entries(PROBLEM_CODES).find(([code]) => code === name);
  if (known === undefined) return undefined;
  const [problem, { meaning, remedy }] = known;
  return { problem, meaning, remedy };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
