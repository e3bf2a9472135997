/** Limits of a payment for an order: the confirmed maximum, and whether it may open a token account. */

import { capFor } from '../../domain/cap.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { formatDecimal } from '../../domain/money.ts';
import type { PaymentQuote } from './pay-terms.ts';

/**
 * Checks the user's maximum.
 * @param maxAmount as typed, in the order's coin.
 * @throws {ScripError} AMOUNT_OVER_CAP
 */
export function checkLimit(
  { amountAtomic, decimals, coin }: PaymentQuote,
  maxAmount: string | undefined,
): void {
  const amount = formatDecimal(amountAtomic, decimals);
  capFor({ priceAtomic: amountAtomic, decimals }, maxAmount, (_, most) => ({
    message: t`The payment asks for ${amount} ${coin}, more than the ${most} allowed`,
    details: { amount, max_amount: most, coin },
  }));
}

/**
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when the user did not accept to open the recipient's account
 */
export function checkOpening(quote: PaymentQuote, opensAccount: boolean): void {
  if (quote.openingCost === null || opensAccount) return;
  throw new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`${quote.payTo} has no account for ${quote.coin}${openingText(quote)}`,
    { hint: t`Add --open-account to pay for opening it.` },
  );
}

export function openingText({ openingCost }: PaymentQuote): Message {
  return openingCost === null ? t`` : t` and ${openingCost} to open the recipient's account`;
}
