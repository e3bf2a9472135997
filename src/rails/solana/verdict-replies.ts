/** A facilitator's refusals, as x402 words them. */

import type { SettleResponse, VerifyResponse } from '../../contract/x402.ts';

/** The chain executed it, and it failed. */
export const FAILED_REASON = 'invalid_exact_svm_transaction_failed';
/** The blockhash is over, and no block took the transaction. */
export const EXPIRED_REASON = 'invalid_exact_svm_transaction_expired';

export function invalidReply(reason: string, payer: string | undefined): VerifyResponse {
  return {
    isValid: false,
    invalidReason: reason,
    invalidMessage: inWords(reason),
    ...payerOf(payer),
  };
}

export function refusedReply(
  { network }: { readonly network: string },
  reason: string,
  payer: string | undefined,
): SettleResponse {
  return {
    success: false,
    transaction: '',
    network,
    errorReason: reason,
    errorMessage: inWords(reason),
    ...payerOf(payer),
  };
}

function payerOf(payer: string | undefined): { readonly payer?: string } {
  return payer === undefined ? {} : { payer };
}

/** Converts a reason to words: `payload amount mismatch`. */
function inWords(reason: string): string {
  return reason.replace('invalid_exact_svm_', '').replaceAll('_', ' ');
}
