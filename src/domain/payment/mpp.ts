/**
 * Payments by MPP, as requirements of x402 and back. Only what our rails pay as they pay x402: where the host
 * chooses a payment's nonce (`evm`), one key on several machines would pay several times.
 */

import {
  MPP_SCHEME,
  mppChallenge,
  mppCredential,
  mppReceipt,
  solanaCharge,
} from '../../contract/mpp.ts';
import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import {
  decodeHeader,
  type PaymentPayload,
  type PaymentRequirement,
  type SettleResponse,
} from '../../contract/x402.ts';
import { canonicalJson } from '../canonical-json.ts';

/** A challenge's parameters, as received. */
type MppChallenge = Readonly<Record<string, string>> & {
  readonly method: string;
  readonly intent: string;
};

/** A parameter, or the name of the scheme that the next ones belong to. */
const PART =
  /(?<![\w-])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|(?<![\w-])([A-Za-z][\w-]*)(?=\s|$)/g;

/** Returns the challenges of a `WWW-Authenticate` that ask for a payment by MPP. */
export function mppChallenges(header: string | null): readonly MppChallenge[] {
  const found: Record<string, string>[] = [];
  let isOurs = false;
  for (const [, name, quoted, plain = '', scheme] of (header ?? '').matchAll(PART)) {
    if (scheme !== undefined) {
      isOurs = scheme.toLowerCase() === MPP_SCHEME.toLowerCase();
      if (isOurs) found.push({});
    }
    const current = found.at(-1);
    if (name === undefined || !isOurs || current === undefined) continue;
    current[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  }
  return found.flatMap((one) => mppChallenge().safeParse(one).data ?? []);
}

/** What a payment answers is kept in the requirement under this name. */
const KEPT_AS = 'mppChallenge';

/** Returns the challenges that can be paid, as requirements of x402, and when the first of them expires. */
export function mppRequired(header: string | null) {
  const payable = mppChallenges(header).flatMap((challenge) => {
    const { method, intent, header: field, request = '' } = challenge;
    if (`${method} ${intent}` !== 'solana charge' || field !== undefined) return [];
    const { data } = solanaCharge().safeParse(decodeHeader(request));
    if (data === undefined) return [];
    const { amount, currency: asset, recipient: payTo, externalId, methodDetails } = data;
    const memo = externalId === undefined ? {} : { memo: externalId };
    const extra = { feePayer: methodDetails.feePayerKey, ...memo };
    const terms = { scheme: 'exact', network: SOLANA_MAINNET, amount, asset, payTo, extra };
    return [{ ...terms, [KEPT_AS]: challenge }];
  });
  const expiresAt = payable
    .map((one) => one[KEPT_AS].expires)
    .filter(Boolean)
    .sort()
    .at(0);
  return { accepts: payable, expiresAt };
}

/** Whether a payment for the requirement goes into `Authorization`. */
export function isMpp(requirement: PaymentRequirement): boolean {
  return mppChallenge().safeParse(requirement[KEPT_AS]).success;
}

/** Returns the value of `Authorization` that pays a challenge; undefined for a requirement of x402 itself. */
export function mppPayment(
  requirement: PaymentRequirement,
  payload: PaymentPayload['payload'],
): string | undefined {
  const { data: challenge } = mppChallenge().safeParse(requirement[KEPT_AS]);
  if (challenge === undefined) return undefined;
  const credential = { challenge, payload: { type: 'transaction', ...payload } };
  return `${MPP_SCHEME} ${Buffer.from(canonicalJson(credential)).toString('base64url')}`;
}

/** Returns the payment in a value of `Authorization` as its rail has it; undefined for other headers. */
export function mppPayload(header: string): PaymentPayload['payload'] | undefined {
  const [scheme, credential = ''] = header.split(' ');
  if (scheme !== MPP_SCHEME) return undefined;
  const { data } = mppCredential().safeParse(decodeHeader(credential));
  return data && { transaction: data.payload.transaction };
}

/** Returns what a `Payment-Receipt` says, as x402 says it. */
export function mppSettlement(header: string | null): SettleResponse | undefined {
  const { data } = mppReceipt().safeParse(decodeHeader(header ?? ''));
  return data && { success: true, transaction: data.reference, network: '' };
}
