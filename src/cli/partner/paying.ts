/** Pays an order of the partner API from the local wallet: asked first, explained afterwards. */

import {
  NO_REFUND_ADDRESS,
  type PayDeps,
  type PayOffer,
  type PayOutcome,
  type PayRequest,
} from '../../api/partner/pay-terms.ts';
import { paymentError } from '../../api/payment/outcome-error.ts';
import { capFor } from '../../domain/cap.ts';
import { commandText, type OwnText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { formatSol } from '../amount.ts';
import { agreeOn, isSummaryTold } from '../buying/agreement.ts';
import { type Headroom, headroomText } from '../buying/spending.ts';
import { linesText } from '../buying/summary.ts';
import type { Context } from '../context.ts';
import type { Localize } from '../i18n/localize.ts';

export interface Consent {
  /** Do not ask. */
  readonly isAgreed: boolean;
  /** The most to pay now, as typed, in the order's coin. */
  readonly maxAmount: string | undefined;
  /** Opening the recipient's account is paid for as well. */
  readonly opensAccount: boolean;
}

/** Asks, or checks against the limit; @throws {ScripError} AMOUNT_OVER_CAP, DECLINED, REQUIREMENT_UNACCEPTABLE */
export function agreement(
  context: Context,
  consent: Consent,
  roomFor: (offer: PayOffer) => Promise<Headroom | undefined> = async () => undefined,
): PayRequest['agree'] {
  return async (offer) => {
    checkLimit(offer, consent);
    const {
      io: { stderr, localize },
    } = context;
    context.io.progress.done();
    const isTold = isSummaryTold(context, consent.isAgreed);
    const room = isTold || !consent.isAgreed ? await roomFor(offer) : undefined;
    if (isTold) stderr.write(offerText(offer, room, localize));
    if (consent.isAgreed) return checkOpening(offer, consent);
    const typed = formatDecimal(offer.amountAtomic, offer.decimals);
    const question = t`Pay ${amountText(offer)}${openingText(offer)}?`;
    await agreeOn(context, {
      isAgreed: false,
      question,
      amountText: typed,
      isLarge: room?.isLarge ?? false,
      declined: {
        message: t`you declined; nothing was paid`,
        hint: commandText`The order stays as it is. To pay it: scrip pay ${offer.order.order_id}`,
      },
    });
  };
}

function checkLimit({ amountAtomic, decimals, coin }: PayOffer, { maxAmount }: Consent): void {
  const amount = formatDecimal(amountAtomic, decimals);
  capFor({ priceAtomic: amountAtomic, decimals }, maxAmount, (_, most) => ({
    message: t`${amount} ${coin} are asked for, more than the ${most} allowed`,
    details: { amount, max_amount: most, coin },
  }));
}

function checkOpening(offer: PayOffer, { opensAccount }: Consent): void {
  if (offer.openingCost === 0n || opensAccount) return;
  throw new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`${offer.payTo} has no account for ${offer.coin}${openingText(offer)}`,
    { hint: t`Add --open-account to pay for it as well.` },
  );
}

function amountText({ amountAtomic, decimals, coin }: PayOffer): string {
  return `${formatDecimal(amountAtomic, decimals)} ${coin}`;
}

function openingText({ openingCost }: PayOffer): Message {
  return openingCost === 0n
    ? t``
    : t` and ${formatSol(atomic(openingCost))} SOL to open the recipient's account`;
}

function offerText(offer: PayOffer, room: Headroom | undefined, localize: Localize): string {
  const lines = [
    [t`Order`, offer.order.order_id],
    [t`Amount`, amountText(offer)],
    [t`Network`, offer.network],
    [t`To`, offer.payTo],
    [t`Refunds to`, offer.refundsTo ?? NO_REFUND_ADDRESS],
    ...(room === undefined ? [] : [[t`Left`, headroomText(room)] as const]),
  ] as const;
  return linesText(lines, localize);
}

/** The command that goes on with an order, with the consent that was given to it. */
export function payCommand(
  { settings }: Context,
  orderId: string,
  { isAgreed, maxAmount, opensAccount }: Consent,
): OwnText {
  const isTold = isAgreed && maxAmount !== undefined && !settings.mayPrompt;
  const words = [
    ...['scrip', 'pay', orderId],
    ...(isTold ? ['--yes', '--max-amount', maxAmount] : []),
    ...(opensAccount ? ['--open-account'] : []),
  ];
  return wordList(words, ' ');
}

/**
 * @param goOn what pays the same order later; without it, plain `scrip pay`
 * @throws {ScripError} whatever the outcome is but a payment; see `paymentError`
 */
export async function pay(
  deps: PayDeps,
  request: PayRequest,
  goOn: OwnText = wordList(['scrip', 'pay', request.orderId], ' '),
): Promise<Extract<PayOutcome, { readonly kind: 'paid' }>> {
  const { payOrder } = await import('../../api/partner/pay.ts');
  const outcome = await payOrder(deps, request);
  if (outcome.kind === 'paid') return outcome;
  throw paymentError(request.orderId, outcome, goOn);
}

/** A part of the amount, as typed. @throws {ScripError} AMOUNT_INVALID */
export function partOf(text: string | undefined, decimals: number): Atomic | undefined {
  if (text === undefined) return undefined;
  const part = parseDecimal(text, decimals);
  if (part > 0n) return part;
  throw new ScripError('AMOUNT_INVALID', t`a part of nothing cannot be paid`);
}
