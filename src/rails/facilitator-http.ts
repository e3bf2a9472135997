/** A client of a facilitator elsewhere: the calls of x402 that a merchant needs, GET /supported and POST /settle. */

import type { Endpoint } from '../contract/endpoint.ts';
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
import { type Message, t, verbatim } from '../domain/message/message.ts';
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

export type FacilitatorClient = ReturnType<typeof createFacilitatorClient>;

/**
 * Creates the client. Its calls throw only ScripError FACILITATOR_UNAVAILABLE; `details.retryAfterMs` says when
 * to retry, if the facilitator said so. /verify is not called: a facilitator that has a payment can settle it. It
 * gets the payment once the settlement is on record, and /settle verifies it.
 */
export function createFacilitatorClient(address: FacilitatorAddress) {
  return {
    supported: (): Promise<SupportedResponse> =>
      ask(address, {
        ...{ path: '/supported', schema: supportedResponse },
        ...{ timeoutMs: READ_TIMEOUT_MS, fundsAtRisk: 'none' },
      }),
    settle: (payload: PaymentPayload, requirement: PaymentRequirement): Promise<SettleResponse> =>
      ask(address, {
        ...{ path: '/settle', body: bodyOf(payload, requirement), schema: settleResponse },
        ...{ timeoutMs: address.settleMs ?? SETTLE_TIMEOUT_MS, fundsAtRisk: 'possible' },
      }),
  };
}

/** The standard's fields alone: our own ones say what is bought, and a strict facilitator refuses them. */
function bodyOf({ payload }: PaymentPayload, requirement: PaymentRequirement): unknown {
  const { scheme, network, asset, payTo, maxTimeoutSeconds, extra } = requirement;
  const amount = requirement.amount ?? requirement.maxAmountRequired;
  const { feePayer, memo, name, version } = extra ?? {};
  const { transaction, authorization, signature } = payload;
  const standard = {
    ...{ scheme, network, amount, asset, payTo, maxTimeoutSeconds },
    extra: { feePayer, memo, name, version },
  };
  return {
    x402Version: X402_VERSION,
    paymentPayload: {
      x402Version: X402_VERSION,
      accepted: standard,
      payload: { transaction, authorization, signature },
    },
    paymentRequirements: standard,
  };
}

interface Call<T> {
  readonly path: string;
  readonly body?: unknown;
  readonly schema: Endpoint<unknown, T>['output'];
  readonly timeoutMs: number;
  /** Whether money may move although no answer came. */
  readonly fundsAtRisk: FundsAtRisk;
}

async function ask<T>(
  { url, fetch, headers = {}, clock }: FacilitatorAddress,
  { path, body, schema, timeoutMs, fundsAtRisk }: Call<T>,
): Promise<T> {
  const unavailable = (what: Message, more: Partial<Pick<ScripError, 'details' | 'cause'>>) =>
    new ScripError('FACILITATOR_UNAVAILABLE', t`The facilitator ${what}`, { fundsAtRisk, ...more });
  const init: FetchInit =
    body === undefined
      ? { method: 'GET', headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  // Use real time, not `Clock`: a test that moves its clock must not abort a call.
  const bounds = { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const;
  const away = (cause: unknown) => {
    throw unavailable(t`did not answer ${path}`, { cause });
  };
  const reply = await fetch(url + path, { ...init, ...bounds }).catch(away);
  const { status } = reply;
  const parsed = schema().safeParse(parseJson(await reply.text().catch(away)));
  // Refusals come as 200 or as a 4xx with the same body; a 5xx is no verdict, even with such a body.
  if (status < 500 && status !== 429 && parsed.success) return parsed.data;
  const retryAfterMs = parseRetryAfter(reply.headers.get('retry-after'), clock.now());
  throw unavailable(t`returned no verdict for ${path} (status ${status})`, {
    details: { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  });
}

/** Words of a facilitator that are no refusal. */
const UNDECIDED: readonly (string | undefined)[] = [
  'settlement_pending',
  'duplicate_settlement',
  undefined,
];
const MOST_CHARACTERS = 100;

/** Hands a payment over; undefined without an answer. What it says decides nothing, and is reported where it refuses. */
export async function handOver(
  client: FacilitatorClient | undefined,
  report: ((error: ScripError) => void) | undefined,
  ...payment: Parameters<FacilitatorClient['settle']>
): Promise<SettleResponse | undefined> {
  try {
    const said = await client?.settle(...payment);
    if (said?.success === false && !UNDECIDED.includes(said.errorReason)) {
      const reason = quoted(said.errorReason);
      report?.(contradicted(t`The facilitator refused a payment that we accepted: ${reason}`));
    }
    return said;
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    report?.(error);
    return undefined;
  }
}

/** Text of another operator. */
export function quoted(text = ''): Message {
  return verbatim(JSON.stringify(text.slice(0, MOST_CHARACTERS)));
}

export function contradicted(sentence: Message): ScripError {
  return new ScripError('FACILITATOR_UNAVAILABLE', sentence, { fundsAtRisk: 'possible' });
}

const FRESH_MS = 60_000;
/** A facilitator that is away is not asked by every buyer. */
const AWAY_MS = 5_000;

/** The fee payer that payments on a network are to name; undefined where it settles none by x402 v2. */
export function feePayerOf({ kinds }: SupportedResponse, network: string): string | undefined {
  return kindOf(kinds, network)?.extra?.feePayer;
}

/** Whether it settles payments on a network by x402 v2. */
export function settles({ kinds }: SupportedResponse, network: string): boolean {
  return kindOf(kinds, network) !== undefined;
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

export type FacilitatorTerms = ReturnType<typeof readFacilitatorTerms>;

export function readFacilitatorTerms(
  client: Pick<FacilitatorClient, 'supported'>,
  {
    network,
    clock,
    isNamed = true,
  }: {
    readonly network: string;
    readonly clock: Pick<Clock, 'now'>;
    /** Whether payments name its fee payer. */
    readonly isNamed?: boolean;
  },
) {
  let asked: Promise<SupportedResponse> | undefined;
  let untilMs = 0;
  /**
   * Its answer, as far as it is about our payments.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE when it is away, or settles no such payments
   */
  const current = (): Promise<SupportedResponse> => {
    if (asked !== undefined && clock.now() < untilMs) return asked;
    untilMs = clock.now() + FRESH_MS;
    asked = client.supported().then((said) => ours(said, network, isNamed));
    asked.catch(() => {
      untilMs = clock.now() + AWAY_MS;
    });
    return asked;
  };
  return {
    current,
    /** Whether it signs for this fee payer; it may have several. @throws as `current` */
    async isManaged(feePayer: string | undefined): Promise<boolean> {
      const { kinds, signers = {} } = await current();
      const own = kinds.map(({ extra }) => extra?.feePayer);
      return (
        feePayer !== undefined && [...own, ...Object.values(signers).flat()].includes(feePayer)
      );
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
function ours(
  { kinds, signers = {} }: SupportedResponse,
  network: string,
  isNamed: boolean,
): SupportedResponse {
  const kind = kindOf(kinds, network);
  if (kind === undefined || (isNamed && kind.extra?.feePayer === undefined)) {
    return refuseNetwork(network);
  }
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
