/** What the payer's side of each rail checks alike, before it asks the chain anything and before it signs. */

import { networkName, networkTitle } from '../contract/usdc.ts';
import { type PaymentRequirement, USDC_DECIMALS } from '../contract/x402.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../domain/message/message.ts';
import { type Atomic, formatDecimal } from '../domain/money/money.ts';
import { requiredAmount } from '../domain/payment/payment.ts';

interface Expected {
  readonly network: string;
  /** Address of USDC. */
  readonly asset: string;
  readonly payer: string;
  /** Reads an address of the network, in the form that is compared; undefined for any other text. */
  readonly readAddress: (text: string) => string | undefined;
}

/**
 * Reads what each rail pays by: an amount of USDC, to an address that is not the wallet's own.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_INVALID
 */
export function readCommonTerms(
  requirement: PaymentRequirement,
  { network, asset, payer, readAddress }: Expected,
): { readonly payTo: string; readonly amountAtomic: Atomic } {
  const { scheme, payTo: named } = requirement;
  if (scheme !== 'exact') refuseTerms(t`uses the scheme ${scheme}`);
  if (requirement.network !== network) refuseTerms(t`is for the network ${requirement.network}`);
  if (readAddress(requirement.asset) !== asset) {
    refuseTerms(t`asks for the token ${requirement.asset}, which is not USDC`);
  }
  const payTo = readAddress(named);
  if (payTo === undefined) return refuseTerms(t`names "${named}", which is not an address`);
  if (payTo === payer) refuseTerms(t`pays the paying wallet itself`);
  return { payTo, amountAtomic: requiredAmount(requirement) };
}

/** Refuses terms of another amount than was agreed to. @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
export function checkAgreed(asked: Atomic, agreed: Atomic): void {
  if (asked !== agreed) refuseTerms(t`asks for ${formatUsdc(asked)}, not ${formatUsdc(agreed)}`);
}

/** Throws with the message "The payment requirement …". @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
export function refuseTerms(reason: Message): never {
  throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The payment requirement ${reason}`);
}

/** Formats an amount of USDC: `25.50 USDC`. */
export function formatUsdc(amount: Atomic): string {
  return `${formatDecimal(amount, USDC_DECIMALS, 2)} USDC`;
}

/** @throws {ScripError} FUNDS_TOO_LOW */
export function tooLow(network: string, coin: string, available: string, needed: Said): never {
  throw new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet holds ${available} on ${networkTitle(network)}, and the payment needs ${needed}`,
    {
      hint: commandText`Put ${coin} into the wallet; in the sandbox: scrip wallet fund --network ${networkName(network) ?? ''}`,
      details: { coin, network },
    },
  );
}

/**
 * Compares what was built for a signature with what was agreed to.
 * @throws {ScripError} INTERNAL naming the part that differs
 */
export function assertParts(...parts: readonly (readonly [part: string, holds: boolean])[]): void {
  const broken = parts.find(([, holds]) => !holds);
  if (broken === undefined) return;
  throw new ScripError('INTERNAL', verbatim(`The payment that was built has another ${broken[0]}`));
}
