/**
 * What a host signed about a purchase: its offer before the payment, and its receipt after it (x402
 * `specs/extensions/extension-offer-and-receipt.md`). Kept in the journal, and checked without the host.
 */

import { createPublicKey, verify } from 'node:crypto';
import {
  didOf,
  getDidDocument,
  jwsParts,
  offerPayload,
  offersIn,
  type PublicJwk,
  publicJwk,
  receiptPayload,
} from '../../contract/offer-receipt.ts';
import { USDC_ADDRESSES } from '../../contract/usdc.ts';
import type { PaymentRequired, PaymentRequirement } from '../../contract/x402.ts';
import { expected, parseJson } from '../../domain/attempt.ts';
import { currentAttempt, type Entry, eventOf, lastAttempt } from '../../domain/journal/journal.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { parseAtomic } from '../../domain/money/money.ts';
import { isSameAddress, requiredAmount } from '../../domain/payment/payment.ts';
import type { Check } from '../../domain/payment/requirement-checks.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import { call } from '../http/call.ts';
import type { Exchange } from '../http/exchange.ts';

/** The evidence of one payment, as `scrip receipt show` prints it and `scrip receipt verify` reads it. */
export interface Evidence {
  readonly host: string;
  readonly network: string;
  readonly payer: string;
  readonly asset: string;
  readonly pay_to: string;
  readonly amount_atomic: string;
  readonly transaction: string | null;
  /** Compact JWS. */
  readonly offer: string | null;
  readonly receipt: string | null;
  /** The host's public key when it was paid. */
  readonly key: PublicJwk | null;
}

/** The signed offer of the requirement that is paid; undefined if the host signed none for these terms. */
export function offerOf(
  required: PaymentRequired,
  requirement: PaymentRequirement,
): string | undefined {
  const { network, asset, payTo } = requirement;
  const amount = String(requiredAmount(requirement));
  return offersIn(required).find((jws) => {
    const offer = offerPayload().safeParse(jwsParts(jws).payload).data;
    if (offer === undefined) return false;
    const isHere = offer.network === network && offer.payTo === payTo;
    return isHere && isSameAddress(offer.asset, asset) && offer.amount === amount;
  });
}

/** The host's answer takes no longer than the first wait for a delivery. */
const KEY_TIMEOUT_MS = 1_000;

/**
 * Reads the key that signed, from the host's DID document; undefined if it cannot be had, or if the text names
 * the key of another host.
 */
export async function readSigningKey(
  { fetch, signal }: Pick<Exchange, 'fetch' | 'signal'>,
  baseUrl: string,
  jws: string,
): Promise<PublicJwk | undefined> {
  const kid = kidOf(jws);
  if (didIn(kid) !== didOf(baseUrl)) return undefined;
  // A host that is reached under a path has its document there (did:web, section 3.2).
  const isRoot = new URL(baseUrl).pathname === '/';
  const asked = isRoot ? getDidDocument : { ...getDidDocument, path: '/did.json' };
  const document = await call(
    fetch,
    baseUrl,
    asked,
    {},
    { signal, timeoutMs: KEY_TIMEOUT_MS },
  ).catch(expected(() => undefined));
  return document?.verificationMethod.find(({ id }) => id === kid)?.publicKeyJwk;
}

function kidOf(jws: string): string {
  const { kid } = Object(jwsParts(jws).header) as { readonly kid?: unknown };
  return typeof kid === 'string' ? kid : '';
}

function didIn(kid: string): string {
  return kid.split('#')[0] ?? '';
}

/** The evidence of a purchase that was signed for; null for an order of the partner API, and before a payment. */
export function evidenceOf(entry: Entry): Evidence | undefined {
  const attempt = currentAttempt(entry) ?? lastAttempt(entry);
  if (attempt === undefined || entry.intent.partner !== undefined) return undefined;
  const { number, offer, payer, asset, payTo, amountAtomic } = attempt;
  const accepted = eventOf(entry, 'accepted', number);
  const landed = eventOf(entry, 'landed', number) ?? eventOf(entry, 'named', number);
  return {
    host: entry.intent.host,
    network: entry.intent.network,
    payer,
    asset,
    pay_to: payTo,
    amount_atomic: amountAtomic,
    transaction: landed?.transaction ?? accepted?.transaction ?? null,
    offer: offer ?? null,
    receipt: accepted?.receipt ?? null,
    key: publicJwk().safeParse(parseJson(eventOf(entry, 'key', number)?.jwk ?? '')).data ?? null,
  };
}

/** Checks what the host signed against its key, and against the payment. */
export function checkEvidence(evidence: Evidence): readonly Check[] {
  const { offer, receipt } = evidence;
  return [
    signatureCheck('offer_signature', offer, evidence),
    offer === null ? NONE('offer_terms') : offerTerms(offer, evidence),
    signatureCheck('receipt_signature', receipt, evidence),
    receipt === null ? NONE('receipt_payment') : receiptTerms(receipt, evidence),
  ];
}

const NONE = (check: string): Check => ({
  check,
  state: 'skipped',
  detail: t`the host signed none`,
});
const pass = (check: string, detail: Said): Check => ({ check, state: 'pass', detail });
const fail = (check: string, detail: Said): Check => ({ check, state: 'fail', detail });

function signatureCheck(check: string, jws: string | null, { key, host }: Evidence): Check {
  if (jws === null) return NONE(check);
  if (key === null) return fail(check, t`the host’s key is not known`);
  const kid = kidOf(jws);
  const { resourceUrl } = Object(jwsParts(jws).payload) as { readonly resourceUrl?: unknown };
  const resource = typeof resourceUrl === 'string' ? originOf(resourceUrl) : undefined;
  if (resource === undefined || !isKeyOf(kid, resource)) {
    return fail(check, t`${kid} is not a key of the host that it signs for`);
  }
  if (URL.canParse(host) && originOf(host) !== resource && /^https?:/.test(host)) {
    return fail(check, t`it is for ${resource}, and ${host} was paid`);
  }
  return isSigned(jws, key) ? pass(check, kid) : fail(check, t`it is not signed by ${kid}`);
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A DID of the host itself, or of a path on it. */
function isKeyOf(kid: string, origin: string): boolean {
  const did = didOf(origin);
  return didIn(kid) === did || didIn(kid).startsWith(`${did}:`);
}

/** By algorithm, its curve (RFC 7518, RFC 8037, RFC 8812). */
const CURVES: ReadonlyMap<unknown, string> = new Map([
  ['EdDSA', 'Ed25519'],
  ['ES256', 'P-256'],
  ['ES256K', 'secp256k1'],
]);

/** Whether a compact JWS is signed by the key (RFC 7515). */
function isSigned(jws: string, jwk: PublicJwk): boolean {
  const { alg } = Object(jwsParts(jws).header) as { readonly alg?: unknown };
  if (CURVES.get(alg) !== jwk.crv) return false;
  const end = jws.lastIndexOf('.');
  const text = Buffer.from(jws.slice(0, end));
  const signature = Buffer.from(jws.slice(end + 1), 'base64url');
  try {
    const { kty, crv, x, y } = jwk;
    const key = createPublicKey({ key: { kty, crv, x, ...(y && { y }) }, format: 'jwk' });
    return alg === 'EdDSA'
      ? verify(null, text, key, signature)
      : verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}

function offerTerms(jws: string, { network, asset, pay_to, amount_atomic }: Evidence): Check {
  const check = 'offer_terms';
  const offer = offerPayload().safeParse(jwsParts(jws).payload).data;
  if (offer === undefined) return fail(check, t`it is not readable`);
  const isPaid = offer.amount === amount_atomic && isSameAddress(offer.asset, asset);
  return isPaid && offer.network === network && offer.payTo === pay_to
    ? pass(check, t`${evidenceAmount(offer)} to ${offer.payTo}`)
    : fail(
        check,
        t`it offers ${evidenceAmount(offer)} to ${offer.payTo}; ${evidenceAmount({ network, asset, amount: amount_atomic })} to ${pay_to} were signed`,
      );
}

/** An amount for people; of a token that we do not know in its smallest units. */
export function evidenceAmount({
  network,
  asset,
  amount,
}: Readonly<Record<'network' | 'asset' | 'amount', string>>): Said {
  const usdc = Object.entries(USDC_ADDRESSES).find(([id]) => id === network)?.[1];
  const isUsdc = usdc !== undefined && isSameAddress(usdc, asset) && /^\d{1,20}$/.test(amount);
  return isUsdc ? `${usdcText(parseAtomic(amount))} USDC` : t`${amount} atomic units`;
}

function receiptTerms(jws: string, { network, payer, transaction }: Evidence): Check {
  const check = 'receipt_payment';
  const receipt = receiptPayload().safeParse(jwsParts(jws).payload).data;
  if (receipt === undefined) return fail(check, t`it is not readable`);
  if (receipt.network !== network || !isSameAddress(receipt.payer, payer)) {
    return fail(check, t`it is of a payment by ${receipt.payer} on ${receipt.network}`);
  }
  const named = receipt.transaction;
  if (!named || transaction === null) return pass(check, t`paid by ${payer}`);
  return named === transaction
    ? pass(check, t`it names the transaction that paid`)
    : fail(check, t`it names the transaction ${named}, and ${transaction} paid`);
}
