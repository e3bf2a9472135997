/** The check of a payment's bytes, remembered from its verification to its settlement. */
import type { PaymentPayload, PaymentRequirement } from '../../contract/x402.ts';
import { createRecent } from '../recent.ts';
import { checkPayment, type FacilitatorTerms, type Verdict } from './checks.ts';

export type PaymentCheck = (payload: PaymentPayload, requirement: PaymentRequirement) => Verdict;

/** Payments between verification and settlement; one that is dropped is checked again. */
const MOST_REMEMBERED = 256;

/** Remembers what is valid: the same bytes and requirement always get the same verdict. */
export function createPaymentCheck(terms: FacilitatorTerms): PaymentCheck {
  const valid = createRecent<Verdict>(MOST_REMEMBERED);
  return (payload, requirement) => {
    const key = JSON.stringify([payload, requirement]);
    const known = valid.get(key);
    if (known) return known;
    const verdict = checkPayment(payload, requirement, terms);
    if (!verdict.isValid) return verdict;
    valid.set(key, verdict);
    return verdict;
  };
}
