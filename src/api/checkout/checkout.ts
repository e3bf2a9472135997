/** The paid call, `POST /v1/orders`, in its two phases (interface, rules of `POST /v1/orders`). */

import { postOrder, reasonBody, type WireOrderReceipt } from '../../contract/checkout.ts';
import type { Fetch } from '../../contract/fetch.ts';
import {
  MPP_CHALLENGE_HEADER,
  MPP_CREDENTIAL_HEADER,
  MPP_RECEIPT_HEADER,
} from '../../contract/mpp.ts';
import { signedReceiptIn } from '../../contract/offer-receipt.ts';
import { SIGN_IN } from '../../contract/sign-in.ts';
import { networkNamed } from '../../contract/usdc.ts';
import {
  decodeHeader,
  extensionIn,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  type PaymentRequired,
  paymentRequired,
  SESSION_HEADER,
  settleResponse,
  V1_PAYMENT_HEADER,
  V1_RESPONSE_HEADER,
  v1PaymentRequired,
  X402_VERSION,
} from '../../contract/x402.ts';
import { parseJson } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  answerCode,
  type KeptAnswer,
  type PaidRequest,
  requestName,
} from '../../domain/journal/paid-request.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { mppChallenges, mppPayload, mppRequired, mppSettlement } from '../../domain/payment/mpp.ts';
import { withNetworkIds } from '../../domain/payment/payment.ts';
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
  /** Sent instead of an order; its answer is what was bought. */
  readonly request?: PaidRequest | undefined;
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
      /** What the host signed of the payment, as a compact JWS. */
      readonly signed: string | undefined;
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

/** For an answer that is made while the caller waits. */
export const ANSWER_TIMEOUT_MS = 120_000;
/** Ours: the most that is kept of an answer. */
const ANSWER_CAP_BYTES = 16 * 1024 * 1024;

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
  if (answer.status === 200 || (request.request !== undefined && answer.status !== 402)) {
    throw new ScripError(
      'MERCHANT_REPLY_INVALID',
      request.request === undefined
        ? t`${host} accepted the order without asking for a payment`
        : t`${host} no longer asks for a payment; nothing was signed`,
    );
  }
  if (answer.status !== 402) {
    const nowMs = request.clock.now();
    throw merchantError(answer, { host, notFound: 'PRODUCT_UNKNOWN', isChallenge: true, nowMs });
  }
  return challengeIn(answer, request.baseUrl, request.clock);
}

/** Reads a 402. @throws {ScripError} MERCHANT_REPLY_INVALID for one that cannot be paid here */
export function challengeIn(answer: Answer, url: string, clock: Pick<Clock, 'now'>): Challenge {
  const required = readRequired(answer);
  if (required === undefined) throw unknownForm(answer, url);
  const sessionId = answer.headers.get(SESSION_HEADER);
  return { required, sessionId, receivedAtMs: clock.now() };
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
      { [headerFor(payment.header)]: payment.header, ...session },
      request.timeoutMs ?? SUBMIT_TIMEOUT_MS,
    );
    return readSubmission(answer, request);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { kind: 'unclear', reason: error.sentence };
  }
}

/** The journaled bytes name their version, so a resumed payment is sent in the same header. */
function headerFor(payment: string): string {
  if (mppPayload(payment) !== undefined) return MPP_CREDENTIAL_HEADER;
  return versionOf(decodeHeader(payment)) === 1 ? V1_PAYMENT_HEADER : PAYMENT_SIGNATURE_HEADER;
}

/** Sends a request as it is, and returns a redirect as its answer. @param added headers of the payment */
export function sendRequest(
  { method, url, headers, body }: PaidRequest,
  {
    fetch,
    signal,
    timeoutMs = ANSWER_TIMEOUT_MS,
  }: Pick<CheckoutCall, 'fetch' | 'signal' | 'timeoutMs'>,
  added: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const init = {
    method,
    headers: { ...headers, ...added },
    ...(body === undefined ? {} : { body }),
  };
  const capBytes = ANSWER_CAP_BYTES;
  return exchange({ fetch, url, init, timeoutMs, capBytes, signal, redirect: 'manual' });
}

function post(
  request: CheckoutCall,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Answer> {
  if (request.request !== undefined) {
    return sendRequest(request.request, { ...request, timeoutMs }, headers);
  }
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
 * Reads the requirements of a 402 from the header, or from the body, where version 1 has them and some hosts
 * of version 2, and after them those of MPP; undefined when there are none.
 */
function readRequired(answer: Answer): PaymentRequired | undefined {
  const isRead = (form: unknown): form is PaymentRequired =>
    paymentRequired().safeParse(form).success || v1PaymentRequired().safeParse(form).success;
  // Return the raw value, not the parsed copy: the payment must echo what was received.
  const required = formsOf(answer).find(isRead);
  const { accepts, expiresAt } = mppRequired(answer.headers.get(MPP_CHALLENGE_HEADER));
  if (required === undefined) {
    return accepts.length === 0 ? undefined : { x402Version: X402_VERSION, accepts, expiresAt };
  }
  const own = withNetworkIds(required);
  return { ...own, accepts: [...own.accepts, ...accepts] };
}

function formsOf(answer: Answer): readonly unknown[] {
  const header = answer.headers.get(PAYMENT_REQUIRED_HEADER);
  return [header === null ? undefined : decodeHeader(header), parseJson(answer.text)];
}

/** Returns the error for a 402 that cannot be paid here, naming its protocol if known. */
function unknownForm(answer: Answer, url: string): ScripError {
  const host = hostOf(url);
  const code = 'MERCHANT_REPLY_INVALID';
  const details = { status: answer.status };
  if (formsOf(answer).some((form) => extensionIn(Object(form).extensions, SIGN_IN))) {
    return new ScripError(code, t`${host} asks for a sign-in with a wallet, not for a payment`, {
      details,
      hint: commandText`If it lists what you bought there: scrip orders recover --checkout-url ${new URL(url).origin}`,
    });
  }
  const version = formsOf(answer).map(versionOf).find(Boolean);
  if (version !== undefined && version !== 1 && version !== 2) {
    return new ScripError(code, t`${host} asks for a payment by x402 version ${version}`, {
      details,
      hint: t`scrip pays only x402 versions 1 and 2. Ask the merchant for one of them, or use a client for the other version.`,
    });
  }
  const asked = answer.headers.get(MPP_CHALLENGE_HEADER);
  const methods = mppChallenges(asked).map(({ method, intent }) => `${method} ${intent}`);
  if (version === undefined && methods.length > 0) {
    return new ScripError(code, t`${host} asks for a payment by MPP: ${methods.join(', ')}`, {
      details: { ...details, methods },
      hint: t`By MPP, scrip pays only USDC on Solana, in one transfer that the host sends and pays the fee of. Use a client for that protocol.`,
    });
  }
  // L402, LSAT and others use HTTP authentication challenges too.
  const scheme = /^\w[\w.-]{0,40}/.exec(asked ?? '')?.[0];
  if (version === undefined && scheme !== undefined) {
    const what = t`${host} asks for a payment with the HTTP scheme ${scheme}, not x402`;
    return new ScripError(code, what, {
      details,
      hint: t`scrip pays only x402 versions 1 and 2. Use a client for that protocol.`,
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

function readSubmission(answer: Answer, { request, clock }: CheckoutCall): Submission {
  const nowMs = clock.now();
  if (request !== undefined && isBought(answer)) return boughtAnswer(answer, request);
  if (request === undefined && answer.status === 200) return readReceipt(answer);
  const body = wireError(answer.text);
  const what = withReason(body?.message ?? body?.error, settlementError(answer));
  if (answer.status < 400 || answer.status >= 500 || RESENT_STATUSES.has(answer.status)) {
    const retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), nowMs);
    const reason = t`the merchant answered ${answer.status}${what === undefined ? '' : `: ${what}`}`;
    return { kind: 'unclear', reason, retryAfterMs };
  }
  const error = body?.error ?? (request === undefined ? 'unknown' : `http_${answer.status}`);
  return { kind: 'refused', status: answer.status, error, message: what ?? error };
}

/** A success, or any other end of a request whose payment the host calls settled. */
function isBought(answer: Answer): boolean {
  const { status } = answer;
  if (status >= 200 && status < 300) return true;
  return status < 500 && status !== 402 && readSettlement(answer)?.success === true;
}

/** The answer as an order that is complete and delivers it, which the journal keeps like codes. */
function boughtAnswer(answer: Answer, request: PaidRequest): Submission {
  const delivery = {
    delivery_state: 'completed',
    product_name: requestName(request),
    voucher_code: answerCode(keptAnswer(answer)),
  } as const;
  return {
    kind: 'accepted',
    receipt: { order_id: '', status: 'completed', poll_url: '', deliveries: [delivery] },
    ...settledBy(answer),
  };
}

/** Headers of the connection; the body was decompressed, so its old length and coding are wrong. */
const NOT_KEPT = /^(connection|keep-alive|transfer-encoding|content-encoding|content-length)$/i;

export function keptAnswer({ status, headers, bytes }: Answer): KeptAnswer {
  const all = [...(headers.entries?.() ?? [])];
  return { status, headers: all.filter(([name]) => !NOT_KEPT.test(name)), bytes };
}

function readReceipt(answer: Answer): Submission {
  const reading = readOrderReceipt(answer.text);
  if (!reading.isValid) {
    return {
      kind: 'unclear',
      reason: t`the merchant's receipt is not readable: ${reading.problem}`,
    };
  }
  return { kind: 'accepted', receipt: reading.value, ...settledBy(answer) };
}

function settledBy(answer: Answer) {
  const settlement = readSettlement(answer);
  return {
    transaction: settlement?.transaction || undefined,
    signed: signedReceiptIn(settlement?.extensions),
  };
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
  const { headers } = answer;
  const header = headers.get(PAYMENT_RESPONSE_HEADER) ?? headers.get(V1_RESPONSE_HEADER);
  if (header === null) return mppSettlement(headers.get(MPP_RECEIPT_HEADER));
  return settleResponse().safeParse(decodeHeader(header)).data;
}
