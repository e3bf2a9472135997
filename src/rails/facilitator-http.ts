/** A client of a facilitator elsewhere: the calls of x402 that a merchant needs, GET /supported and POST /settle. */

import type { Lazy } from '../contract/endpoint.ts';
import type { Fetch, FetchInit } from '../contract/fetch.ts';
import {
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
  type SupportedResponse,
  settleResponse,
  supportedResponse,
  X402_VERSION,
} from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { type FundsAtRisk, ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';

const READ_TIMEOUT_MS = 10_000;
/** Facilitators wait for the chain, up to 30 seconds; ours is asked itself after this time. */
const SETTLE_TIMEOUT_MS = 8_000;

export interface FacilitatorAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sent with every call, such as `authorization`: facilitators pay fees for known callers only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How long a settlement is waited for; by default 8 seconds. */
  readonly settleMs?: number;
}

/**
 * /verify is not called: a facilitator that has a payment can settle it. It gets the payment once the
 * settlement is on record, and /settle verifies it.
 */
export interface FacilitatorClient {
  supported(): Promise<SupportedResponse>;
  settle(payload: PaymentPayload, requirement: PaymentRequirement): Promise<SettleResponse>;
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
export function createFacilitatorClient(address: FacilitatorAddress): FacilitatorClient {
  return {
    supported: () =>
      ask(
        address,
        { path: '/supported', timeoutMs: READ_TIMEOUT_MS, fundsAtRisk: 'none' },
        supportedResponse,
      ),
    settle: (payload, requirement) =>
      ask(
        address,
        {
          path: '/settle',
          body: bodyOf(payload, requirement),
          timeoutMs: address.settleMs ?? SETTLE_TIMEOUT_MS,
          fundsAtRisk: 'possible',
        },
        settleResponse,
      ),
  };
}

/** The standard's fields alone: our own ones say what is bought, and a strict facilitator refuses them. */
function bodyOf({ payload }: PaymentPayload, requirement: PaymentRequirement): unknown {
  const { scheme, network, asset, payTo, maxTimeoutSeconds, extra } = requirement;
  const amount = requirement.amount ?? requirement.maxAmountRequired;
  const { feePayer, memo } = extra ?? {};
  const standard = {
    ...{ scheme, network, amount, asset, payTo, maxTimeoutSeconds },
    extra: { feePayer, memo },
  };
  return {
    x402Version: X402_VERSION,
    paymentPayload: {
      x402Version: X402_VERSION,
      accepted: standard,
      payload,
    },
    paymentRequirements: standard,
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
  address: FacilitatorAddress,
  call: Call,
  schema: Lazy<Schema<T>>,
): Promise<T> {
  const answer = await send(address, call);
  const parsed = schema().safeParse(parseJson(answer.text));
  // Refusals come as 200 or as a 4xx with the same body; a 5xx is no verdict, even with such a
  // body.
  if (answer.status < 500 && answer.status !== 429 && parsed.success) return parsed.data;
  throw unavailable(call, t`returned no verdict for ${call.path} (status ${answer.status})`, {
    details: { status: answer.status, ...retryAfterOf(answer, address.clock) },
  });
}

async function send({ url, fetch, headers }: FacilitatorAddress, call: Call): Promise<Answer> {
  try {
    const reply = await fetch(url + call.path, requestOf(call, headers));
    const text = await reply.text();
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), text };
  } catch (cause) {
    throw unavailable(call, t`did not answer ${call.path}`, { cause });
  }
}

function requestOf({ body, timeoutMs }: Call, headers: FetchInit['headers'] = {}): FetchInit {
  // Use real time, not `Clock`: a test that moves its clock must not abort a call.
  const common = { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const;
  if (body === undefined) return { method: 'GET', headers, ...common };
  return {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
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
