/** The paid call, `POST /v1/orders`, in its two phases (interface, rules of `POST /v1/orders`). */

import { postOrder, reasonBody, type WireOrderReceipt } from '../../contract/checkout.ts';
import type { Fetch } from '../../contract/fetch.ts';
import { networkNamed } from '../../contract/usdc.ts';
import {
  decodeHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  type PaymentRequired,
  paymentRequired,
  SESSION_HEADER,
  settleResponse,
  X402_VERSION,
} from '../../contract/x402.ts';
import { parseJson } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { parseRetryAfter } from '../../domain/payment/retry.ts';
import { MAKING_TIMEOUT_MS } from '../http/call.ts';
import { type Answer, BODY_CAP_BYTES, exchange, hostOf } from '../http/exchange.ts';
import { merchantError, wireError } from '../http/merchant-error.ts';
import { readOrderReceipt } from './order-form.ts';

export interface CheckoutCall {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** Canonical JSON of the order request; both phases send these bytes. */
  readonly body: string;
  readonly clock: Clock;
  /** Name of the network to pay on. */
  readonly network: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The response to phase 1. */
export interface Challenge {
  /** As received, with unknown fields. */
  readonly required: PaymentRequired;
  readonly sessionId: string | null;
  readonly receivedAtMs: number;
}

/** A host's response to a payment. It proves neither that the payment landed nor that it did not. */
export type Submission =
  | {
      readonly kind: 'accepted';
      readonly receipt: WireOrderReceipt;
      readonly transaction: string | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: string;
      readonly message: string;
    }
  | { readonly kind: 'unclear'; readonly reason: Said; readonly retryAfterMs?: number | undefined };

/** Ours: the interface sets no limit. */
export const CHALLENGE_TIMEOUT_MS = MAKING_TIMEOUT_MS;
/** A merchant may take half a minute to settle (x402: confirmation within 30 s). */
export const SUBMIT_TIMEOUT_MS = 60_000;

const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
};

/** Hosts that accept several networks list this one first. */
const PREFERENCE = 'x-preferred-network';

/** Statuses that do not concern the payment itself: the same bytes are sent again. */
const RESENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Phase 1: requests the price of an order and the address to pay.
 * @throws {ScripError} MERCHANT_REPLY_INVALID when the response is not a readable 402; the errors of
 * `merchantError` for refusals; NETWORK_UNREACHABLE
 */
export async function challenge(request: CheckoutCall): Promise<Challenge> {
  const answer = await post(request, {}, request.timeoutMs ?? CHALLENGE_TIMEOUT_MS);
  const host = hostOf(request.baseUrl);
  if (answer.status === 200) {
    throw new ScripError(
      'MERCHANT_REPLY_INVALID',
      t`${host} accepted the order without asking for a payment`,
    );
  }
  if (answer.status !== 402) {
    const nowMs = request.clock.now();
    throw merchantError(answer, { host, notFound: 'PRODUCT_UNKNOWN', isChallenge: true, nowMs });
  }
  const required = readRequired(answer);
  if (required === undefined) {
    throw unknownForm(answer, host);
  }
  const sessionId = answer.headers.get(SESSION_HEADER);
  return { required, sessionId, receivedAtMs: request.clock.now() };
}

/**
 * Phase 2: sends a signed payment, byte for byte as journaled. Errors of host or network are return values.
 * @throws {ScripError} INTERRUPTED when the signal aborts
 */
export async function submit(
  request: CheckoutCall,
  payment: { readonly header: string; readonly sessionId: string | null },
): Promise<Submission> {
  const session = payment.sessionId === null ? {} : { [SESSION_HEADER]: payment.sessionId };
  try {
    const answer = await post(
      request,
      { [PAYMENT_SIGNATURE_HEADER]: payment.header, ...session },
      request.timeoutMs ?? SUBMIT_TIMEOUT_MS,
    );
    return readSubmission(answer, request.clock.now());
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { kind: 'unclear', reason: error.sentence };
  }
}

function post(
  request: CheckoutCall,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Answer> {
  return exchange({
    fetch: request.fetch,
    url: `${request.baseUrl}${postOrder.path}`,
    init: {
      method: postOrder.method,
      headers: {
        ...HEADERS,
        [PREFERENCE]: networkNamed(request.network) ?? request.network,
        ...headers,
      },
      body: request.body,
    },
    timeoutMs,
    capBytes: BODY_CAP_BYTES,
    signal: request.signal,
  });
}

/**
 * Reads the requirements of a 402 from the header, or from the body, since some hosts send only that;
 * undefined when there are none.
 */
export function readRequired(answer: Answer): PaymentRequired | undefined {
  // Return the raw value, not the parsed copy: the payment must echo what was received.
  return formsOf(answer).find((form) => paymentRequired().safeParse(form).success) as
    | PaymentRequired
    | undefined;
}

function formsOf(answer: Answer): readonly unknown[] {
  const header = answer.headers.get(PAYMENT_REQUIRED_HEADER);
  return [header === null ? undefined : decodeHeader(header), parseJson(answer.text)];
}

/** Returns the error for a 402 that cannot be paid here, naming its protocol if known. */
export function unknownForm(answer: Answer, host: Said): ScripError {
  const code = 'MERCHANT_REPLY_INVALID';
  const details = { status: answer.status };
  const version = formsOf(answer).map(versionOf).find(Boolean);
  if (version !== undefined && version !== X402_VERSION) {
    return new ScripError(code, t`${host} asks for a payment by x402 version ${version}`, {
      details,
      hint: t`scrip pays only x402 version 2. Ask the merchant for it, or use a client for the other version.`,
    });
  }
  // L402, LSAT, Payment (MPP) and others use HTTP authentication challenges.
  const scheme = /^\w[\w.-]{0,40}/.exec(answer.headers.get('www-authenticate') ?? '')?.[0];
  if (version === undefined && scheme !== undefined) {
    const what = t`${host} asks for a payment with the HTTP scheme ${scheme}, not x402`;
    return new ScripError(code, what, {
      details,
      hint: t`scrip pays only x402 version 2. Use a client for that protocol.`,
    });
  }
  return new ScripError(code, t`${host} asks for a payment in an unknown format`, { details });
}

function versionOf(form: unknown): number | undefined {
  const version =
    typeof form === 'object' && form !== null && 'x402Version' in form
      ? form.x402Version
      : undefined;
  return typeof version === 'number' ? version : undefined;
}

function readSubmission(answer: Answer, nowMs: number): Submission {
  if (answer.status === 200) return readReceipt(answer);
  const body = wireError(answer.text);
  const what = withReason(body?.message ?? body?.error, settlementError(answer));
  if (answer.status < 400 || answer.status >= 500 || RESENT_STATUSES.has(answer.status)) {
    const retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), nowMs);
    const reason = t`the merchant answered ${answer.status}${what === undefined ? '' : `: ${what}`}`;
    return { kind: 'unclear', reason, retryAfterMs };
  }
  const error = body?.error ?? 'unknown';
  return { kind: 'refused', status: answer.status, error, message: what ?? error };
}

function readReceipt(answer: Answer): Submission {
  const reading = readOrderReceipt(answer.text);
  if (!reading.isValid) {
    return {
      kind: 'unclear',
      reason: t`the merchant's receipt is not readable: ${reading.problem}`,
    };
  }
  const transaction = readSettlement(answer)?.transaction || undefined;
  return { kind: 'accepted', receipt: reading.value, transaction };
}

/** What the merchant's sentence leaves out: the facilitator's reason. */
function withReason(said: string | undefined, reason: string | undefined): string | undefined {
  if (said === undefined || reason === undefined || !REASON.test(reason)) return said ?? reason;
  return said.includes(reason) ? said : `${said} (${reason})`;
}

/** As facilitators write them; other texts beside a message are no reasons. */
const REASON = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;

function settlementError(answer: Answer): string | undefined {
  const settlement = readSettlement(answer);
  const said =
    settlement?.errorMessage ??
    settlement?.errorReason ??
    reasonBody().safeParse(parseJson(answer.text)).data?.reason ??
    readRequired(answer)?.error;
  return typeof said === 'string' ? said : undefined;
}

function readSettlement(answer: Answer) {
  const header = answer.headers.get(PAYMENT_RESPONSE_HEADER);
  return header === null ? undefined : settleResponse().safeParse(decodeHeader(header)).data;
}
