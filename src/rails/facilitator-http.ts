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
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { type FundsAtRisk, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { parseRetryAfter } from '../domain/payment/retry.ts';
import type { Facilitator } from './merchant-rail.ts';

const READ_TIMEOUT_MS = 10_000;
/** Facilitators wait for the chain, up to 30 seconds; ours is asked itself after this time. */
const SETTLE_TIMEOUT_MS = 8_000;

interface FacilitatorAddress {
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
      payload: { transaction: payload.transaction },
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

function retryAfterOf({ retryAfter }: Answer, clock: Clock): { readonly retryAfterMs?: number } {
  const retryAfterMs = parseRetryAfter(retryAfter, clock.now());
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

const FRESH_MS = 60_000;
/** A facilitator that is away is not asked by every buyer. */
const AWAY_MS = 5_000;

/** The fee payer that payments on a network are to name; undefined where it settles none by x402 v2. */
export function feePayerOf({ kinds }: SupportedResponse, network: string): string | undefined {
  return kindOf(kinds, network)?.extra?.feePayer;
}

function kindOf(kinds: SupportedResponse['kinds'], network: string) {
  return kinds.find(
    (kind) =>
      kind.x402Version === X402_VERSION && kind.scheme === 'exact' && kind.network === network,
  );
}

/** As `feePayerOf`, of a facilitator. @throws {ScripError} FACILITATOR_UNAVAILABLE */
export async function readFeePayer(
  { supported }: Pick<Facilitator, 'supported'>,
  network: string,
): Promise<string> {
  return feePayerOf(await supported(), network) ?? refuseNetwork(network);
}

interface FacilitatorTerms {
  /**
   * Its answer, as far as it is about our payments.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE when it is away, or settles no such payments
   */
  current(): Promise<SupportedResponse>;
  /** Whether it signs for this fee payer; it may have several. @throws as `current` */
  isManaged(feePayer: string | undefined): Promise<boolean>;
}

export function readFacilitatorTerms(
  client: Pick<FacilitatorClient, 'supported'>,
  { network, clock }: { readonly network: string; readonly clock: Pick<Clock, 'now'> },
): FacilitatorTerms {
  let asked: Promise<SupportedResponse> | undefined;
  let untilMs = 0;
  const current: FacilitatorTerms['current'] = () => {
    if (asked !== undefined && clock.now() < untilMs) return asked;
    untilMs = clock.now() + FRESH_MS;
    asked = client.supported().then((said) => ours(said, network));
    asked.catch(() => {
      untilMs = clock.now() + AWAY_MS;
    });
    return asked;
  };
  return {
    current,
    async isManaged(feePayer) {
      const { kinds, signers = {} } = await current();
      const managed = [
        ...kinds.map(({ extra }) => extra?.feePayer),
        ...Object.values(signers).flat(),
      ];
      return feePayer !== undefined && managed.includes(feePayer);
    },
  };
}

/** Of a shop without such a facilitator. */
export const NO_TERMS: FacilitatorTerms = {
  current: async () => {
    throw new ScripError('FACILITATOR_UNAVAILABLE', t`No facilitator is named`);
  },
  isManaged: async () => false,
};

/** @throws {ScripError} FACILITATOR_UNAVAILABLE */
function ours({ kinds, signers = {} }: SupportedResponse, network: string): SupportedResponse {
  const kind = kindOf(kinds, network);
  if (kind?.extra?.feePayer === undefined) return refuseNetwork(network);
  const [family] = network.split(':');
  const own = Object.entries(signers).filter(
    ([name]) => name === network || name === `${family}:*`,
  );
  return { kinds: [kind], extensions: [], signers: Object.fromEntries(own) };
}

function refuseNetwork(network: string): never {
  throw new ScripError('FACILITATOR_UNAVAILABLE', settlesNothing(network));
}

export function settlesNothing(network: string): Message {
  return t`The facilitator settles no exact payments on ${network} by x402 version 2`;
}

/**
 * Our own facilitator, and another one beside it. A payment stays with the one that it was made for, also once
 * the configuration names the other: what was handed over is decided by the chain alone.
 * @param current the one that new payments are made for
 */
export function routeByFeePayer({
  own,
  feePayer,
  remote,
  current,
}: {
  readonly own: Facilitator;
  /** Our own fee payer's address. */
  readonly feePayer: string;
  readonly remote: Facilitator;
  readonly current: Facilitator;
}): Facilitator {
  const of = ({ extra }: PaymentRequirement) => (extra?.feePayer === feePayer ? own : remote);
  return {
    supported: current.supported,
    verify: (payload, requirement) => of(requirement).verify(payload, requirement),
    settle: (payload, requirement, options) =>
      of(requirement).settle(payload, requirement, options),
    async checkFunds() {
      // The shop's own transfers need SOL, also where a facilitator pays for buyers' payments.
      await own.checkFunds();
      if (current !== own) await current.checkFunds();
    },
  };
}
