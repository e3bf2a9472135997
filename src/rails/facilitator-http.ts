/** A client of a remote facilitator, with the three calls of x402: GET /supported, POST /verify, /settle. */

import type { Lazy } from '../contract/endpoint.ts';
import type { Fetch, FetchInit } from '../contract/fetch.ts';
import {
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
  settleResponse,
  supportedResponse,
  verifyResponse,
  X402_VERSION,
} from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { type FundsAtRisk, ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import type { Facilitator, PaymentFate } from './rail.ts';

const READ_TIMEOUT_MS = 10_000;
/** Facilitators wait for the chain before they answer: up to 30 seconds, plus overhead. */
const SETTLE_TIMEOUT_MS = 45_000;

export interface RemoteFacilitatorOptions {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`: facilitators pay fees for known callers only. */
  readonly token?: string | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Returns what the chain shows of a payment. */
  fate(payload: PaymentPayload): Promise<PaymentFate>;
}

interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  /** Whether money may move although no answer came. */
  readonly fundsAtRisk: FundsAtRisk;
}

/**
 * Creates the client. Its calls throw only ScripError FACILITATOR_UNAVAILABLE;
 * `details.retryAfterMs` says when to retry, if the facilitator said so.
 */
export function createRemoteFacilitator(options: RemoteFacilitatorOptions): Facilitator {
  const read = { timeoutMs: READ_TIMEOUT_MS, fundsAtRisk: 'none' } as const;
  return {
    supported: () => ask(options, { path: '/supported', ...read }, supportedResponse),
    verify: (payload, requirement) =>
      ask(
        options,
        { path: '/verify', body: bodyOf(payload, requirement), ...read },
        verifyResponse,
      ),
    settle: (payload, requirement) => settle(options, payload, requirement),
    // The remote facilitator checks its own fee payer: it answers 503.
    checkFunds: async () => undefined,
  };
}

/**
 * Trusts only a reported success. Facilitators forget: one that was interrupted after sending later
 * refuses the same payment, since it cannot land twice. So the chain decides what failed.
 */
async function settle(
  options: RemoteFacilitatorOptions,
  payload: PaymentPayload,
  requirement: PaymentRequirement,
): Promise<SettleResponse> {
  const answer = await askToSettle(options, bodyOf(payload, requirement));
  if (!(answer instanceof ScripError) && answer.success) return answer;
  const fate = await options.fate(payload);
  const { network } = requirement;
  if (fate.fate === 'landed') return { success: true, transaction: fate.transaction, network };
  if (fate.fate === 'dead')
    return { ...failureOf(answer, network), errorMessage: String(fate.proof) };
  if (answer instanceof ScripError) throw answer;
  return { ...answer, errorReason: PENDING };
}

const PENDING = 'settlement_pending';
/** Reasons that mean undecided; once the chain has decided, `EXPIRED` replaces them. */
const UNDECIDED: readonly (string | undefined)[] = [PENDING, 'duplicate_settlement', undefined];

function failureOf(answer: SettleResponse | ScripError, network: string): SettleResponse {
  const nothingSaid = { success: false, transaction: '', network, errorReason: PENDING };
  const said: SettleResponse = answer instanceof ScripError ? nothingSaid : answer;
  return UNDECIDED.includes(said.errorReason) ? { ...said, errorReason: EXPIRED } : said;
}

const EXPIRED = 'invalid_exact_svm_transaction_expired';

/** Returns the facilitator's answer, or the error of the call. */
async function askToSettle(
  options: RemoteFacilitatorOptions,
  body: unknown,
): Promise<SettleResponse | ScripError> {
  const move = { timeoutMs: SETTLE_TIMEOUT_MS, fundsAtRisk: 'possible' } as const;
  try {
    return await ask(options, { path: '/settle', body, ...move }, settleResponse);
  } catch (error) {
    if (error instanceof ScripError) return error;
    throw error;
  }
}

/** The reference facilitator reads `accepted`, which payers of the flat dialect do not send. */
function bodyOf(payload: PaymentPayload, requirement: PaymentRequirement): unknown {
  return {
    x402Version: X402_VERSION,
    paymentPayload: { ...payload, accepted: payload.accepted ?? requirement },
    paymentRequirements: requirement,
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** The part of a schema that is used here. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: unknown };
}

async function ask<T>(
  options: RemoteFacilitatorOptions,
  call: Call,
  schema: Lazy<Schema<T>>,
): Promise<T> {
  const answer = await send(options, call);
  const parsed = schema().safeParse(parseJson(answer.text));
  // Refusals come as 200 or as a 4xx with the same body; a 5xx is no verdict, even with such a
  // body.
  if (answer.status < 500 && answer.status !== 429 && parsed.success) return parsed.data;
  throw unavailable(call, t`returned no verdict for ${call.path} (status ${answer.status})`, {
    details: { status: answer.status, ...retryAfterOf(answer, options.clock) },
  });
}

async function send(options: RemoteFacilitatorOptions, call: Call): Promise<Answer> {
  try {
    const reply = await options.fetch(options.url + call.path, requestOf(call, options));
    const text = await reply.text();
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), text };
  } catch (cause) {
    throw unavailable(call, t`did not answer ${call.path}`, { cause });
  }
}

function requestOf(
  { body, timeoutMs }: Call,
  { token }: Pick<RemoteFacilitatorOptions, 'token'>,
): FetchInit {
  const named = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // Use real time, not `Clock`: a test that moves its clock must not abort a call.
  const common = { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const;
  if (body === undefined) return { method: 'GET', headers: named, ...common };
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...named },
    body: JSON.stringify(body),
    ...common,
  };
}

function unavailable(
  call: Call,
  what: Message,
  more: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> },
): ScripError {
  return new ScripError('FACILITATOR_UNAVAILABLE', t`The facilitator ${what}`, {
    fundsAtRisk: call.fundsAtRisk,
    ...more,
  });
}

/** Reads Retry-After in either form: seconds, or a date. */
function retryAfterOf({ retryAfter }: Answer, clock: Clock): { readonly retryAfterMs?: number } {
  if (retryAfter === null) return {};
  const delayMs = /^\d{1,6}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - clock.now();
  return Number.isFinite(delayMs) ? { retryAfterMs: Math.max(0, delayMs) } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
