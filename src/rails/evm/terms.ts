/** Reads and checks a requirement before the payer asks the chain anything. */

import { type PaymentRequirement, USDC_DECIMALS } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { type Atomic, formatDecimal } from '../../domain/money/money.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import { type Check, fail, pass } from '../../domain/payment/requirement-checks.ts';
import { readAddress, ZERO_ADDRESS } from './address.ts';
import type { EvmNetwork } from './networks.ts';

/** Longest validity of an authorization, and what one has for a requirement without a limit. */
export const MOST_SECONDS = 300;
/** As the reference client: a merchant's clock may be behind the chain's. */
export const EARLIER_SECONDS = 600;

export interface Terms {
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  /** How long the authorization is valid. */
  readonly seconds: number;
}

/** Reads a requirement for this network. @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_INVALID */
export function readTerms(
  requirement: PaymentRequirement,
  network: EvmNetwork,
  payer: string,
): Terms {
  const { scheme, asset, extra, maxTimeoutSeconds = MOST_SECONDS } = requirement;
  if (scheme !== 'exact') refuseTerms(t`uses the scheme ${scheme}`);
  if (requirement.network !== network.network) {
    refuseTerms(t`is for the network ${requirement.network}`);
  }
  if (readAddress(asset) !== network.asset) {
    refuseTerms(t`asks for the token ${asset}, which is not USDC`);
  }
  const failed = extraChecks(extra, network).find(({ state }) => state === 'fail');
  if (failed !== undefined) refuseTerms(t`has another ${failed.check}: ${failed.detail}`);
  return {
    payTo: readPayee(requirement.payTo, network, payer),
    amountAtomic: requiredAmount(requirement),
    seconds: Math.min(Math.floor(maxTimeoutSeconds), MOST_SECONDS),
  };
}

/** @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
function readPayee(text: string, { asset }: EvmNetwork, payer: string): string {
  const payTo = readAddress(text);
  if (payTo === undefined) return refuseTerms(t`names "${text}", which is not an address`);
  if (payTo === payer) return refuseTerms(t`pays the paying wallet itself`);
  if (payTo === ZERO_ADDRESS) return refuseTerms(t`pays the zero address`);
  if (payTo === asset) return refuseTerms(t`pays the token itself`);
  return payTo;
}

/** Runs the checks of what only this rail's payments use, each by itself. */
export function extraChecks(
  extra: PaymentRequirement['extra'],
  { name, version }: EvmNetwork,
): readonly Check[] {
  const method = extra?.assetTransferMethod;
  return [
    equals('name', extra?.name, name),
    equals('version', extra?.version, version),
    method === undefined || method === 'eip3009'
      ? pass('assetTransferMethod', 'eip3009')
      : fail('assetTransferMethod', t`asks for ${String(method)}, not eip3009`),
  ];
}

function equals(check: string, asked: unknown, ours: string): Check {
  return asked === ours
    ? pass(check, ours)
    : fail(check, t`asks for ${String(asked)}, not ${ours}`);
}

/** Throws with the message "The payment requirement …". @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
export function refuseTerms(reason: Message): never {
  throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The payment requirement ${reason}`);
}

/** Formats an amount of USDC: `25.50 USDC`. */
export function formatUsdc(amount: Atomic): string {
  return `${formatDecimal(amount, USDC_DECIMALS, 2)} USDC`;
}
