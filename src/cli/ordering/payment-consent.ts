/** Asks before an existing order is paid, or checks the options that replace the question. */

import { checkLimit, checkOpening, openingText } from '../../api/partner/pay-limits.ts';
import type { PaymentQuote, PayRequest } from '../../api/partner/pay-terms.ts';
import { checkHeld } from '../../api/payment/funds.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import { commandText } from '../../domain/command-text.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, formatDecimal } from '../../domain/money.ts';
import type { With } from '../context.ts';
import { agreeOn, isSummaryTold } from './asking.ts';
import { drawSummary, paymentSummary } from './summary.ts';

export interface PaymentConsent {
  /** Whether to pay without asking. */
  readonly isAgreed: boolean;
  /** The maximum to pay now, as typed, in the order's coin. */
  readonly maxAmount: string | undefined;
  /** Whether to pay also for opening the recipient's token account. */
  readonly opensAccount: boolean;
}

/** The wallet's balance and limits for the payment. */
export interface PaymentMeans {
  readonly address: string;
  readonly heldAtomic: Atomic;
  /** Undefined for a coin without limits: the policy counts only USDC. */
  readonly room: Headroom | undefined;
  readonly isPlayMoney: boolean;
}

/** Asks, or checks the maximum. It throws AMOUNT_OVER_CAP, DECLINED, REQUIREMENT_UNACCEPTABLE. */
export function paymentConsent(
  { io, settings }: With<'settings' | 'io'>,
  { isAgreed, maxAmount, opensAccount }: PaymentConsent,
  meansFor: (quote: PaymentQuote) => Promise<PaymentMeans>,
): PayRequest['agree'] {
  return async (quote) => {
    checkLimit(quote, maxAmount);
    io.progress.done();
    const isTold = isSummaryTold({ settings }, isAgreed);
    const means = isTold || !isAgreed ? await meansFor(quote) : undefined;
    const amountText = formatDecimal(quote.amountAtomic, quote.decimals);
    // Check the balance before asking.
    if (means !== undefined && !isAgreed) {
      const { coin, decimals, amountAtomic } = quote;
      const due = { coin, decimals, text: amountText, atomic: amountAtomic };
      checkHeld(means.address, means.heldAtomic, due);
    }
    const room = means?.room;
    if (isTold && means !== undefined) {
      const summary = paymentSummary(quote, { ...means, url: settings.apiUrl });
      io.stderr.write(await drawSummary(summary, io));
    }
    if (isAgreed) return checkOpening(quote, opensAccount);
    await agreeOn(
      { io },
      {
        isAgreed: false,
        question: t`Pay ${`${amountText} ${quote.coin}`}${openingText(quote)}?`,
        amountText,
        isLarge: room?.isLarge ?? false,
        declined: {
          message: t`You declined; nothing was paid`,
          hint: commandText`The order is unchanged. To pay it: scrip pay ${quote.order.order_id}`,
        },
      },
    );
  };
}
