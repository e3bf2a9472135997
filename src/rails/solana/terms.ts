/** Reads and checks a requirement before the payer asks the chain anything. */

import type { PaymentRequirement } from '../../contract/x402.ts';
import { t } from '../../domain/message/message.ts';
import { type Check, fail, pass } from '../../domain/payment/requirement-checks.ts';
import { readCommonTerms, refuseTerms } from '../terms.ts';
import { isAddress, isOnCurve } from './address.ts';

/** Maximum bytes of a requested memo (x402 v2, `scheme_exact_svm`). */
const MAX_MEMO_BYTES = 256;

/**
 * Reads a requirement for this network and mint.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_INVALID
 */
export function readTerms(
  requirement: PaymentRequirement,
  { mint, ...asked }: { readonly network: string; readonly mint: string; readonly payer: string },
) {
  const readAddress = (text: string) => (isAddress(text) ? text : undefined);
  const terms = readCommonTerms(requirement, { ...asked, asset: mint, readAddress });
  const { feePayer, memo } = requirement.extra ?? {};
  return { ...terms, feePayer: readFeePayer(feePayer, asked.payer), memo: readMemoTerm(memo) };
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
