/** Runs each check of a payment requirement separately, to report everything wrong with it. Pure. */

import type { PaymentRequired, PaymentRequirement } from '../../contract/x402.ts';
import { attempt } from '../attempt.ts';
import { ScripError } from '../message/errors.ts';
import { type Said, t } from '../message/message.ts';
import { type Atomic, formatDecimal } from '../money/money.ts';
import { isSameAddress, type Means, requiredAmount } from './payment.ts';

export interface Check {
  readonly check: string;
  readonly state: 'pass' | 'fail' | 'skipped';
  /** What the check found, for people. */
  readonly detail: Said;
}

export interface Judgement extends Means {
  /** Decimals of the asset. */
  readonly decimals: number;
  /** Address of the paying wallet; undefined if there is none. */
  readonly payer: string | undefined;
  /** The maximum to sign for; undefined if the user gave none. */
  readonly capAtomic: Atomic | undefined;
  /** Undefined without a quote. */
  readonly quotedAtomic: Atomic | undefined;
  readonly expiresAtMs: number;
  readonly nowMs: number;
  /** Whether an address can have a private key. */
  readonly isKeyAddress: (address: string) => boolean;
  /** The checks of what only the rail's own payments use. */
  readonly extra: readonly Check[];
}

const SCHEME = 'exact';
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'scheme',
  'network',
  'amount',
  'maxAmountRequired',
  'asset',
  'payTo',
  'maxTimeoutSeconds',
  'extra',
  'description',
  'outputSchema',
  'resource',
  'mimeType',
]);
const MAX_SHOWN = 80;

/**
 * Returns the requirement that would be paid, or else the closest one, to report what is wrong with it.
 * @returns as received, unparsed
 */
export function likeliestOffer(
  { accepts }: PaymentRequired,
  { network, asset }: Means,
): Readonly<Record<string, unknown>> {
  const byNetwork = accepts.filter((offer) => offer.network === network);
  const exact = byNetwork.find(
    (offer) => offer.scheme === SCHEME && isSameAddress(offer.asset, asset),
  );
  return exact ?? byNetwork[0] ?? accepts[0] ?? {};
}

/** Runs the checks that need only the requirement and the clock; the rail makes the others. */
export function requirementChecks(
  requirement: PaymentRequirement,
  judgement: Judgement,
): readonly Check[] {
  const amount = tryAmount(requirement);
  return [
    equals('scheme', requirement.scheme, SCHEME),
    equals('network', requirement.network, judgement.network),
    isSameAddress(requirement.asset, judgement.asset)
      ? pass('asset', judgement.asset)
      : fail('asset', t`asks for ${requirement.asset}, not ${judgement.asset}`),
    amountCheck(amount, judgement),
    capCheck(amount, judgement),
    quoteCheck(amount, judgement),
    payeeCheck(requirement, judgement),
    ...judgement.extra,
    extraCheck(requirement, judgement),
    expiryCheck(judgement),
  ];
}

/** Returns the amount of a requirement; undefined if it has no single valid one. */
export function offeredAmount(requirement: PaymentRequirement): Atomic | undefined {
  const amount = tryAmount(requirement);
  return amount instanceof ScripError ? undefined : amount;
}

type Amount = Atomic | ScripError;

function tryAmount(requirement: PaymentRequirement): Amount {
  return attempt(
    () => requiredAmount(requirement),
    (error) => error,
  );
}

export const pass = (check: string, detail: Said): Check => ({ check, state: 'pass', detail });
export const fail = (check: string, detail: Said): Check => ({ check, state: 'fail', detail });
const skip = (check: string, detail: Said): Check => ({ check, state: 'skipped', detail });

export function equals(check: string, asked: unknown, ours: string): Check {
  return asked === ours
    ? pass(check, ours)
    : fail(check, t`asks for ${String(asked)}, not ${ours}`);
}

function amountCheck(amount: Amount, { decimals }: Judgement): Check {
  if (amount instanceof ScripError) return fail('amount', amount.message);
  return pass('amount', t`${formatDecimal(amount, decimals, 2)} (${amount} atomic units)`);
}

function capCheck(amount: Amount, { capAtomic, decimals }: Judgement): Check {
  if (capAtomic === undefined) return skip('cap', t`no limit given`);
  const cap = formatDecimal(capAtomic, decimals, 2);
  if (amount instanceof ScripError) return fail('cap', t`at most ${cap}; no amount to compare`);
  return amount <= capAtomic
    ? pass('cap', t`within ${cap}`)
    : fail('cap', t`above the ${cap} allowed`);
}

function quoteCheck(amount: Amount, { quotedAtomic, decimals }: Judgement): Check {
  if (quotedAtomic === undefined) return skip('quote', t`nothing was quoted`);
  const quoted = formatDecimal(quotedAtomic, decimals, 2);
  if (amount instanceof ScripError) {
    return fail('quote', t`quoted ${quoted}; no amount to compare`);
  }
  if (amount === quotedAtomic) return pass('quote', t`equal to the quote, ${quoted}`);
  const isMore = amount > quotedAtomic;
  const difference = isMore ? amount - quotedAtomic : quotedAtomic - amount;
  const basisPoints = (difference * 10_000n) / (quotedAtomic === 0n ? 1n : quotedAtomic);
  // A price change passes here: quotes move with the market, and only the maximum is binding.
  return pass(
    'quote',
    t`${basisPoints} bps ${isMore ? t`above` : t`below`} the quote of ${quoted}`,
  );
}

function payeeCheck({ payTo }: PaymentRequirement, { payer, isKeyAddress }: Judgement): Check {
  if (payTo === payer) return fail('payTo', t`is the paying wallet itself`);
  // The payee may be a program without a key: report it, but accept it.
  return pass('payTo', isKeyAddress(payTo) ? payTo : t`${payTo}, which has no private key`);
}

/** Of `extra`, payments use what the rail checks by itself; what else a server sets there is ignored. */
function extraCheck(requirement: PaymentRequirement, { extra }: Judgement): Check {
  const known = new Set(['sessionId', ...extra.map(({ check }) => check)]);
  const ignored = [
    ...unknownIn(requirement, KNOWN_FIELDS),
    ...unknownIn(requirement.extra ?? {}, known).map((field) => `extra.${field}`),
  ];
  return pass(
    'extra',
    ignored.length === 0 ? t`no other fields` : `ignored: ${ignored.join(', ')}`,
  );
}

/** Returns unknown fields with their values; payments ignore them. */
function unknownIn(fields: object, known: ReadonlySet<string>): readonly string[] {
  return Object.entries(fields)
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value) ?? ''}`.slice(0, MAX_SHOWN));
}

function expiryCheck({ expiresAtMs, nowMs }: Judgement): Check {
  const seconds = Math.floor((expiresAtMs - nowMs) / 1_000);
  return nowMs < expiresAtMs
    ? pass('expiry', t`in ${seconds} s`)
    : fail('expiry', t`expired ${-seconds} s ago`);
}
