/** The checks of a payment that need no chain. Reasons are the reference facilitator’s, where it has one. */

import type { PaymentPayload, PaymentRequirement } from '../../contract/x402.ts';
import { attempt } from '../../domain/attempt.ts';
import { verbatim } from '../../domain/message/message.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import { bytesOf, readAddress, ZERO_ADDRESS } from './address.ts';
import { digestOf, nonceKey, readSigned, type Signed } from './authorization.ts';
import type { EvmNetwork } from './networks.ts';
import { signerOf } from './secp256k1.ts';

export type Verdict =
  | { readonly isValid: false; readonly reason: string; readonly payer: string | undefined }
  | {
      readonly isValid: true;
      readonly payer: string;
      readonly messageHash: string;
      readonly signed: Signed;
      /** Whether the payer's own key signed it; otherwise the code of its account has to say so. */
      readonly isOfKey: boolean;
    };

interface Terms {
  readonly network: EvmNetwork;
  /** Address that pays the gas. */
  readonly feeAccount: string;
}

/** A signature of an account that does not exist yet ends in this (ERC-6492). */
const UNDEPLOYED = '6492'.repeat(16);

export function checkPayment(
  payload: PaymentPayload,
  requirement: PaymentRequirement,
  { network, feeAccount }: Terms,
): Verdict {
  const { accepted } = payload;
  const signed = readSigned(payload.payload);
  const payer = signed?.authorization.from;
  const refused = (reason: string): Verdict => ({ isValid: false, reason, payer });
  const schemes = [requirement.scheme, accepted?.scheme, payload.scheme];
  if (!schemes.every((one) => one === undefined || one === 'exact')) {
    return refused('unsupported_scheme');
  }
  const networks = [requirement.network, accepted?.network, payload.network];
  if (!networks.every((one) => one === undefined || one === network.network)) {
    return refused('network_mismatch');
  }
  if (signed === undefined) return refused('invalid_payload');
  const { authorization, signature } = signed;
  const amount = attempt(
    () => requiredAmount(requirement),
    () => undefined,
  );
  const { extra } = requirement;
  const taken = [feeAccount, ZERO_ADDRESS, network.asset, authorization.to];
  const rules: readonly (readonly [reason: string, holds: boolean])[] = [
    ['invalid_exact_evm_asset_mismatch', readAddress(requirement.asset) === network.asset],
    ['invalid_exact_evm_token_name_mismatch', extra?.name === network.name],
    ['invalid_exact_evm_token_version_mismatch', extra?.version === network.version],
    [`${PAYLOAD}_recipient_mismatch`, authorization.to === readAddress(requirement.payTo)],
    [`${PAYLOAD}_authorization_value_mismatch`, authorization.value === amount?.toString()],
    [`${PAYLOAD}_authorization_from`, !taken.includes(authorization.from)],
    [`${PAYLOAD}_undeployed_smart_wallet`, !signature.endsWith(UNDEPLOYED)],
  ];
  const broken = rules.find(([, holds]) => !holds);
  if (broken !== undefined) return refused(broken[0]);
  const key = signerOf(digestOf(network, authorization), bytesOf(signature));
  const { from } = authorization;
  const messageHash = nonceKey(network, authorization);
  return { isValid: true, payer: from, messageHash, signed, isOfKey: key === from };
}

const PAYLOAD = 'invalid_exact_evm_payload';
export const SIGNATURE_REASON = `${PAYLOAD}_signature`;

/** Less time than this does not suffice to be mined. */
const LEAST_SECONDS = 6;
/** An authorization is taken that is valid at most this much longer than asked: clocks differ. */
const CLOCK_SLACK_SECONDS = 300;

type Window = Pick<PaymentRequirement, 'maxTimeoutSeconds'>;

const VALIDITY_REASON = `${PAYLOAD}_authorization_valid_before`;

/** Compares the validity with the chain's time, in Unix seconds. */
export function refuseByTime(
  { validAfter, validBefore }: Signed['authorization'],
  asked: Window,
  time: number,
): string | undefined {
  if (BigInt(validAfter) >= BigInt(time)) return `${PAYLOAD}_authorization_valid_after`;
  const isInTime =
    BigInt(validBefore) >= BigInt(time + LEAST_SECONDS) &&
    BigInt(validBefore) <= BigInt(time + mostSeconds(asked));
  return isInTime ? undefined : VALIDITY_REASON;
}

function mostSeconds({ maxTimeoutSeconds = CLOCK_SLACK_SECONDS }: Window): number {
  return Math.ceil(maxTimeoutSeconds) + CLOCK_SLACK_SECONDS;
}

/** Says what a reason leaves open: whether a payment is valid for too short or too long. */
export function sentenceOf(reason: string, asked: Window): string | undefined {
  if (reason !== VALIDITY_REASON) return undefined;
  // For the other side, which has its own language.
  const sentence = verbatim(
    `The payment must be valid for at least ${LEAST_SECONDS} and at most ${mostSeconds(asked)} seconds from now.`,
  );
  return String(sentence);
}
