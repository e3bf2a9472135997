/** What a buyer checks before signing, and what is sent when the payment is signed. Pure. */

import { firstFault } from '../contract/plain-issues.ts';
import {
  identifierExtension,
  PAYMENT_IDENTIFIER,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirement,
  paymentIdentifier,
  paymentRequirement,
  X402_VERSION,
} from '../contract/x402.ts';
import { checkCap } from './cap.ts';
import { ScripError } from './errors.ts';
import { joined, type Message, type Said, t } from './message.ts';
import { type Atomic, parseAtomic } from './money.ts';

/** What may be paid with: a CAIP-2 network and the address of an asset on it. */
export interface Means {
  readonly network: string;
  readonly asset: string;
}

export interface Limits extends Means {
  /** Address of the wallet that pays. */
  readonly payer: string;
  /** The most that may be signed for, in atomic units. */
  readonly capAtomic: Atomic;
  /** Instant from which the challenge may not be signed any more. */
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

const SCHEME = 'exact';
/** Lifetime of a challenge that names none (interface, Limits: quotes last about 60 seconds). */
const CHALLENGE_LIFETIME_MS = 60_000;
/** The standard's cap for `extra.memo`; it also has to fit into one packet. */
const MAX_MEMO_BYTES = 256;

/** An offer that can be met. */
export interface Chosen {
  /** As it is checked and signed for: without fields that are no use to a payment. */
  readonly requirement: PaymentRequirement;
  /** Exactly as it was received: reference servers compare the echo field by field. */
  readonly accepted: PaymentRequirement;
}

/** @throws {ScripError} REQUIREMENT_UNACCEPTABLE naming what is asked for instead */
export function chooseRequirement(required: PaymentRequired, means: Means): Chosen {
  const onNetwork = required.accepts.filter(
    (accept) => accept.scheme === SCHEME && accept.network === means.network,
  );
  if (onNetwork.length === 0) {
    const offers = required.accepts.map((accept) => t`${accept.scheme} on ${accept.network}`);
    throw refusal(t`The merchant accepts ${joined(offers)}, not ${SCHEME} on ${means.network}`);
  }
  const accept = onNetwork.find((candidate) => candidate.asset === means.asset);
  if (accept === undefined) {
    const assets = onNetwork.map((candidate) => String(candidate.asset));
    throw refusal(t`The merchant accepts the asset ${assets.join(', ')}, not ${means.asset}`);
  }
  const checked = paymentRequirement().safeParse(accept);
  if (!checked.success) {
    const fault = firstFault(paymentRequirement(), accept);
    throw refusal(t`The payment requirement is not valid: ${fault}`);
  }
  // Checked just above; the parsed copy has another order of fields.
  return { requirement: checked.data, accepted: accept as PaymentRequirement };
}

/**
 * Instant from which a challenge may not be signed, in milliseconds since the Unix epoch. Hosts write
 * Unix seconds, as a number or as text, or ISO 8601; what is neither counts as none.
 */
export function challengeExpiry({ expiresAt }: PaymentRequired, receivedAtMs: number): number {
  const seconds = typeof expiresAt === 'string' && expiresAt !== '' ? Number(expiresAt) : expiresAt;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return seconds * 1_000;
  const instantMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(instantMs) ? receivedAtMs + CHALLENGE_LIFETIME_MS : instantMs;
}

/**
 * The amount to sign for, after every check that needs no chain (the rail makes the others).
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_OVER_CAP, CHALLENGE_EXPIRED
 */
export function checkRequirement(requirement: PaymentRequirement, limits: Limits): Atomic {
  checkMeans(requirement, limits);
  checkParties(requirement, limits.payer);
  checkMemo(requirement.extra?.memo);
  const amount = requiredAmount(requirement);
  const { capAtomic } = limits;
  checkCap(amount, capAtomic, () => ({
    message: t`The merchant asks for ${amount} atomic units, more than the ${capAtomic} allowed`,
    details: { amount_atomic: amount.toString(), cap_atomic: capAtomic.toString() },
  }));
  checkFresh(limits);
  return amount;
}

/** @throws {ScripError} CHALLENGE_EXPIRED */
export function checkFresh(limits: Pick<Limits, 'expiresAtMs' | 'nowMs'>): void {
  if (limits.nowMs < limits.expiresAtMs) return;
  throw new ScripError(
    'CHALLENGE_EXPIRED',
    t`The merchant’s payment request expired at ${describeInstant(limits.expiresAtMs)}; nothing was sent`,
  );
}

/**
 * The amount of a requirement in atomic units.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when there is none, it is no plain positive number
 * of 64 bits, or the two names for it disagree
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

/**
 * The payment as it is sent: flat for the interface's servers, with the echo that the public
 * standard asks for when the requirement is written in its terms (`amount`).
 */
export function paymentPayload(
  requirement: PaymentRequirement,
  required: PaymentRequired,
  { transaction, paymentId }: SignedFor,
): PaymentPayload {
  const { scheme, network } = requirement;
  const flat = { x402Version: X402_VERSION, scheme, network, payload: { transaction } } as const;
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

/** What is sent for a requirement. */
export interface SignedFor {
  /** Standard base64 of the wire transaction, signed by the payer alone. */
  readonly transaction: string;
  /** The buyer's own name for the order, for hosts that offer to keep one. */
  readonly paymentId?: string | undefined;
}

/** The extensions as they came, with the name in its place; undefined where none is offered or given. */
function withIdentifier(extensions: unknown, paymentId: string | undefined): unknown {
  const offer = paymentIdentifier().safeParse(identifierExtension(extensions));
  if (!offer.success || paymentId === undefined) return undefined;
  const info = { ...offer.data.info, id: paymentId };
  return { ...Object(extensions), [PAYMENT_IDENTIFIER]: { ...offer.data, info } };
}

function checkMeans(requirement: PaymentRequirement, means: Means): void {
  const pairs = [
    ['scheme', requirement.scheme, SCHEME],
    ['network', requirement.network, means.network],
    ['asset', requirement.asset, means.asset],
  ] as const;
  for (const [name, asked, ours] of pairs) {
    if (asked !== ours) throw refusal(t`The merchant asks for the ${name} ${asked}, not ${ours}`);
  }
}

function checkParties(requirement: PaymentRequirement, payer: string): void {
  const { payTo } = requirement;
  const feePayer = requirement.extra?.feePayer;
  if (payTo === payer) throw refusal(t`The payment would go to the paying wallet itself, ${payer}`);
  if (feePayer === undefined) throw refusal(t`The payment requirement has no fee payer`);
  // As fee payer our signature would also cover all other costs of the transaction.
  if (feePayer === payer)
    throw refusal(t`The merchant requires this wallet, ${payer}, to pay the network fee`);
}

function checkMemo(memo: string | undefined): void {
  if (memo === undefined) return;
  if (memo.length > MAX_MEMO_BYTES || !/^[\x20-\x7e]*$/.test(memo)) {
    throw refusal(
      t`The merchant asks for a memo that is not plain ASCII of at most ${MAX_MEMO_BYTES} characters`,
    );
  }
}

function describeInstant(ms: number): Said {
  // Beyond these bounds a Date has no ISO form and throws.
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : t`an unreadable time`;
}

function refusal(message: Message, cause?: unknown): ScripError {
  return new ScripError('REQUIREMENT_UNACCEPTABLE', message, { cause });
}
