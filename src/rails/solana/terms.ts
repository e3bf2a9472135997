/** Reads and checks a requirement before the payer asks the chain anything. */

import { type PaymentRequirement, USDC_DECIMALS } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { type Atomic, formatDecimal } from '../../domain/money/money.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import { type Check, fail, pass } from '../../domain/payment/requirement-checks.ts';
import { isAddress, isOnCurve } from './address.ts';

/** Maximum bytes of a requested memo (x402 v2, `scheme_exact_svm`). */
const MAX_MEMO_BYTES = 256;

export interface Terms {
  readonly payTo: string;
  readonly feePayer: string;
  readonly amountAtomic: Atomic;
  readonly memo: string | undefined;
}

/**
 * Reads a requirement for this network and mint.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_INVALID
 */
export function readTerms(
  requirement: PaymentRequirement,
  expected: { readonly network: string; readonly mint: string; readonly payer: string },
): Terms {
  const { scheme, network, asset, payTo, extra } = requirement;
  if (scheme !== 'exact') refuseTerms(t`uses the scheme ${scheme}`);
  if (network !== expected.network) refuseTerms(t`is for the network ${network}`);
  if (asset !== expected.mint) refuseTerms(t`asks for the token ${asset}, which is not USDC`);
  if (!isAddress(payTo)) refuseTerms(t`names "${payTo}", which is not an address`);
  if (payTo === expected.payer) refuseTerms(t`pays the paying wallet itself`);
  return {
    payTo,
    feePayer: readFeePayer(extra?.feePayer, expected.payer),
    amountAtomic: requiredAmount(requirement),
    memo: readMemoTerm(extra?.memo),
  };
}

function readFeePayer(feePayer: string | undefined, payer: string): string {
  if (feePayer === undefined) return refuseTerms(t`has no fee payer`);
  // If the payer paid the fee, its signature alone would make the payment valid.
  if (feePayer === payer) return refuseTerms(t`requires the paying wallet to pay the network fee`);
  if (!isAddress(feePayer) || !isOnCurve(feePayer)) {
    return refuseTerms(t`names the fee payer "${feePayer}", which cannot sign`);
  }
  return feePayer;
}

function readMemoTerm(memo: string | undefined): string | undefined {
  // The reference clients treat an empty memo as none.
  if (memo === undefined || memo === '') return undefined;
  if (!isPlainMemo(memo)) {
    refuseTerms(t`asks for a memo that is not plain ASCII of at most ${MAX_MEMO_BYTES} characters`);
  }
  return memo;
}

function isPlainMemo(memo: string): boolean {
  return memo.length <= MAX_MEMO_BYTES && /^[\x20-\x7e]*$/.test(memo);
}

/** Runs the checks of what only this rail's payments use, each by itself. */
export function extraChecks(
  extra: PaymentRequirement['extra'],
  payer: string | undefined,
): readonly Check[] {
  return [feePayerCheck(extra?.feePayer, payer), memoCheck(extra?.memo)];
}

function feePayerCheck(feePayer: string | undefined, payer: string | undefined): Check {
  if (feePayer === undefined) return fail('feePayer', t`none set`);
  if (feePayer === payer) return fail('feePayer', t`is the paying wallet itself`);
  return isAddress(feePayer) && isOnCurve(feePayer)
    ? pass('feePayer', feePayer)
    : fail('feePayer', t`${feePayer} cannot sign`);
}

function memoCheck(memo: string | undefined): Check {
  if (memo === undefined || memo === '') return pass('memo', t`no memo is requested`);
  return isPlainMemo(memo)
    ? pass('memo', memo)
    : fail('memo', t`is not plain ASCII of at most ${MAX_MEMO_BYTES} characters`);
}

/** Throws with the message "The payment requirement …". @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
export function refuseTerms(reason: Message): never {
  throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The payment requirement ${reason}`);
}

/** Formats an amount of USDC: `25.50 USDC`. */
export function formatUsdc(amount: Atomic): string {
  return `${formatDecimal(amount, USDC_DECIMALS, 2)} USDC`;
}
