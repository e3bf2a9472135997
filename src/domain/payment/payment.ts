/** The buyer's checks before signing, and the payload sent for a signed payment. Pure. */

import { firstFault } from '../../contract/plain-issues.ts';
import { NETWORK_IDS, networkName } from '../../contract/usdc.ts';
import {
  extensionIn,
  PAYMENT_IDENTIFIER,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirement,
  paymentIdentifier,
  paymentRequirement,
  X402_VERSION,
} from '../../contract/x402.ts';
import { ScripError } from '../message/errors.ts';
import { joined, type Message, type Said, t } from '../message/message.ts';
import { checkCap } from '../money/cap.ts';
import { type Atomic, parseAtomic } from '../money/money.ts';

/** A CAIP-2 network and the address of an asset on it. */
export interface Means {
  readonly network: string;
  readonly asset: string;
}

export interface Limits {
  /** The maximum to sign for, in atomic units. */
  readonly capAtomic: Atomic;
  /** From this instant on, the challenge must not be signed. */
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

const SCHEME = 'exact';
/** Lifetime of a challenge without `expiresAt` (interface, Limits: quotes last about 60 seconds). */
const CHALLENGE_LIFETIME_MS = 60_000;

/** A requirement that can be paid. */
interface Chosen {
  /** For checking and signing: without fields that a payment does not use. */
  readonly requirement: PaymentRequirement;
  /** Exactly as received: reference servers compare the echo field by field. */
  readonly accepted: PaymentRequirement;
}

/**
 * Returns the requirement to pay.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE naming what the merchant accepts instead
 */
export function chooseRequirement(required: PaymentRequired, means: Means): Chosen {
  const onNetwork = required.accepts.filter(
    (accept) => accept.scheme === SCHEME && accept.network === means.network,
  );
  if (onNetwork.length === 0) {
    const offers = required.accepts.map((accept) => t`${accept.scheme} on ${accept.network}`);
    throw refusal(t`The merchant accepts ${joined(offers)}, not ${SCHEME} on ${means.network}`);
  }
  const accept = onNetwork.find((candidate) => isSameAddress(candidate.asset, means.asset));
  if (accept === undefined) {
    const assets = onNetwork.map((candidate) => String(candidate.asset));
    throw refusal(t`The merchant accepts the asset ${assets.join(', ')}, not ${means.asset}`);
  }
  const checked = paymentRequirement().safeParse(accept);
  if (!checked.success) {
    const fault = firstFault(paymentRequirement(), accept);
    throw refusal(t`The payment requirement is not valid: ${fault}`);
  }
  // `accepted` must keep the received field order, which the parsed copy loses; it was just checked.
  return { requirement: checked.data, accepted: accept as PaymentRequirement };
}

/** Whether two addresses are one: hexadecimal ones are written in any case. */
export function isSameAddress(asked: unknown, ours: string): boolean {
  const isHex = ours.startsWith('0x') && typeof asked === 'string';
  return asked === ours || (isHex && asked.toLowerCase() === ours.toLowerCase());
}

/**
 * Returns the instant from which a challenge must not be signed, in milliseconds since the Unix epoch. Hosts
 * write Unix seconds, as a number or text, or ISO 8601; anything else counts as absent.
 */
export function challengeExpiry({ expiresAt }: PaymentRequired, receivedAtMs: number): number {
  const seconds = typeof expiresAt === 'string' && expiresAt !== '' ? Number(expiresAt) : expiresAt;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return seconds * 1_000;
  const instantMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(instantMs) ? receivedAtMs + CHALLENGE_LIFETIME_MS : instantMs;
}

/**
 * Returns the amount to sign for, within the maximum and in time; the rail checks the rest.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_OVER_CAP, CHALLENGE_EXPIRED
 */
export function checkRequirement(requirement: PaymentRequirement, limits: Limits): Atomic {
  const amount = requiredAmount(requirement);
  const { capAtomic } = limits;
  checkCap(amount, capAtomic, () => ({
    message: t`The merchant asks for ${amount} atomic units, more than the ${capAtomic} allowed`,
    details: { amount_atomic: amount.toString(), cap_atomic: capAtomic.toString() },
  }));
  checkFresh(limits);
  return amount;
}

/** @throws {ScripError} CHALLENGE_EXPIRED once the challenge has expired */
export function checkFresh(limits: Pick<Limits, 'expiresAtMs' | 'nowMs'>): void {
  if (limits.nowMs < limits.expiresAtMs) return;
  throw new ScripError(
    'CHALLENGE_EXPIRED',
    t`The merchant’s payment request expired at ${describeInstant(limits.expiresAtMs)}; nothing was sent`,
  );
}

/**
 * Returns the amount of a requirement in atomic units.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when it has none, it is not a plain positive number of 64
 * bits, or its two amount fields differ
 */
export function requiredAmount(requirement: PaymentRequirement): Atomic {
  const { maxAmountRequired, amount } = requirement;
  const text = maxAmountRequired ?? amount;
  if (text === undefined) throw refusal(t`The payment requirement has no amount`);
  if (amount !== undefined && amount !== text) {
    throw refusal(t`The payment requirement has two amounts, ${text} and ${amount}`);
  }
  try {
    const atomic = parseAtomic(text);
    if (atomic > 0n) return atomic;
  } catch (error) {
    throw refusal(t`"${text}" is not an amount in atomic units`, error);
  }
  throw refusal(t`The payment requirement asks for an amount of 0`);
}

/** Refuses terms other than those that were agreed to. @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
export function checkSame(asked: PaymentRequirement, agreed: PaymentRequirement): void {
  const terms = (one: PaymentRequirement) =>
    [one.network, one.asset, one.payTo, String(requiredAmount(one))] as const;
  const before = terms(agreed);
  const at = terms(asked).findIndex((term, index) => term !== before[index]);
  if (at === -1) return;
  throw refusal(
    t`The payment request has changed from ${before[at] ?? ''} to ${terms(asked)[at] ?? ''} since it was agreed to; nothing was signed`,
  );
}

/** The same requirements with the networks as CAIP-2 ids, for what a host sent in version 1. */
export function withNetworkIds(required: PaymentRequired): PaymentRequired {
  if (required.x402Version !== 1) return required;
  const ids: ReadonlyMap<string, string> = new Map(Object.entries(NETWORK_IDS));
  const accepts = required.accepts.map((one) => ({
    ...one,
    network: ids.get(one.network) ?? one.network,
  }));
  return { ...required, accepts };
}

/**
 * Returns the payment as it is sent: flat for servers of the interface; plus the echo that the public
 * standard requires when the requirement uses the standard's field (`amount`). In version 1 it is flat.
 */
export function paymentPayload(
  requirement: PaymentRequirement,
  required: PaymentRequired,
  { payload, paymentId }: SignedFor,
): Omit<PaymentPayload, 'x402Version'> & { readonly x402Version: number } {
  const { scheme, network } = requirement;
  if (required.x402Version === 1) {
    return { x402Version: 1, scheme, network: networkName(network) ?? network, payload };
  }
  const flat = { x402Version: X402_VERSION, scheme, network, payload } as const;
  const named = withIdentifier(required.extensions, paymentId);
  if (requirement.amount === undefined) {
    return named === undefined ? flat : { ...flat, extensions: named };
  }
  const extensions = named ?? required.extensions;
  return {
    ...flat,
    accepted: requirement,
    ...(required.resource === undefined ? {} : { resource: required.resource }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** The signed payment as the rail sends it, and the id sent with it. */
interface SignedFor {
  readonly payload: PaymentPayload['payload'];
  /** The buyer's id for the payment, for hosts that offer the payment-identifier extension. */
  readonly paymentId?: string | undefined;
}

/**
 * Returns the extensions with the payment id filled in; undefined when the host offers no such extension, or
 * there is no id.
 */
function withIdentifier(extensions: unknown, paymentId: string | undefined): unknown {
  const offer = paymentIdentifier().safeParse(extensionIn(extensions, PAYMENT_IDENTIFIER));
  if (!offer.success || paymentId === undefined) return undefined;
  const info = { ...offer.data.info, id: paymentId };
  return { ...Object(extensions), [PAYMENT_IDENTIFIER]: { ...offer.data, info } };
}

function describeInstant(ms: number): Said {
  // `toISOString` throws beyond these bounds.
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : t`an unreadable time`;
}

function refusal(message: Message, cause?: unknown): ScripError {
  return new ScripError('REQUIREMENT_UNACCEPTABLE', message, { cause });
}
