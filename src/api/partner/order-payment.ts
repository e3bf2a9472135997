/** Pays orders of the partner API from this machine's wallet. */

import { eventOf } from '../../domain/journal/journal.ts';
import { type OwnText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import { formatDecimal } from '../../domain/money/money.ts';
import { awaitsPayment, isPaymentSeen, isSettingUp } from '../../domain/order/order-states.ts';
import type { Bought, OrderTerms, PaymentTerms, Placed, Quote } from '../merchant.ts';
import type { Paying } from '../paying.ts';
import { paymentError } from '../payment/outcome-error.ts';
import type { ScripDeps } from '../scrip.ts';
import { documentOf, followToEnd } from './order-following.ts';
import type { PartnerOrderBody } from './partner-quote.ts';
import {
  checkLimit,
  checkOpening,
  type PayDeps,
  type PayOutcome,
  type PayRequest,
} from './pay-terms.ts';
import { partnerHost, partnerHostName, pollPace } from './place.ts';

/** Minimum wait for the merchant to see the payment, even when not waiting for the goods. */
const LEAST_SEEN_MS = 30_000;

/** Collects what paying an order needs. */
export function transferDeps(deps: ScripDeps, paying: Paying, waitMs: number): PayDeps {
  return {
    ...partnerHost(deps),
    ...paying,
    hostName: partnerHostName(deps.place),
    keySince: deps.place.keySince?.since,
    waitMs,
    progress: deps.progress,
    failPoint: (name) => deps.failPoint(name),
    pollMs: pollPace(deps),
  };
}

export type OpenPayDeps = (waitMs: number) => Promise<PayDeps>;

interface Paid {
  readonly quote: Quote<PartnerOrderBody>;
  readonly terms: OrderTerms;
}

/**
 * Pays up to the price confirmed before the order was created. If the order was already paid, on any machine,
 * only waits for its delivery.
 */
export async function payNow(
  deps: ScripDeps,
  open: OpenPayDeps,
  { order, entry }: Placed,
  { quote, terms }: Paid,
): Promise<Bought> {
  if (order === undefined) throw new ScripError('INTERNAL', verbatim('no order was made'));
  const { order_id: orderId, payment_state: paymentState } = order;
  const orderState = order.order_state;
  const isOpen = awaitsPayment({ orderState }) || isSettingUp({ orderState, paymentState });
  const isPayable = isOpen && terms.signsNothing !== true;
  const paid = isPayable ? await payWaiting(deps, open, { orderId, quote, terms }) : undefined;
  const isBoughtBefore =
    paid === undefined
      ? terms.signsNothing === true || isPaymentSeen({ orderState, paymentState })
      : paid.signatures === 0;
  if (isBoughtBefore) deps.notify({ kind: 'paid-before' });
  // With its goods in the journal, nothing is left to wait for.
  const isKept = eventOf(entry, 'goods') !== undefined;
  const snapshot =
    terms.isWaiting && !isKept
      ? await followToEnd(deps, orderId, terms.timeouts.waitMs)
      : { document: documentOf(paid?.order ?? order), error: undefined };
  return { document: snapshot.document, error: snapshot.error, isBoughtBefore };
}

type PaidOutcome = Extract<PayOutcome, { readonly kind: 'paid' }>;

async function payWaiting(
  deps: ScripDeps,
  open: OpenPayDeps,
  { orderId, quote: { price }, terms }: Paid & { readonly orderId: string },
): Promise<PaidOutcome> {
  const { opensAccount, isWaiting, timeouts } = terms;
  const maxAmount = price && formatDecimal(price.capAtomic, price.decimals);
  const waitMs = Math.max(timeouts.waitMs, LEAST_SEEN_MS);
  const paying = { ...(await open(waitMs)), setupMs: isWaiting ? timeouts.waitMs : waitMs };
  const agree: PayRequest['agree'] = async (quote) => {
    checkLimit(quote, maxAmount);
    deps.progress.done();
    deps.notify({ kind: 'paying', offer: quote });
    checkOpening(quote, opensAccount);
  };
  const isAlone = deps.channel !== 'terminal' && maxAmount !== undefined;
  const goOn = payCommand(orderId, { maxAmount: isAlone ? maxAmount : undefined, opensAccount });
  return payOrThrow(paying, { orderId, agree }, goOn);
}

/** Returns the command that continues the payment. @param maxAmount for a command without questions */
export function payCommand(
  orderId: string,
  {
    maxAmount,
    opensAccount,
  }: { readonly maxAmount: string | undefined; readonly opensAccount: boolean },
): OwnText {
  const words = [
    ...['scrip', 'pay', orderId],
    ...(maxAmount === undefined ? [] : ['--yes', '--max-amount', maxAmount]),
    ...(opensAccount ? ['--open-account'] : []),
  ];
  return wordList(words, ' ');
}

/**
 * Pays an order.
 * @param goOn command that pays the same order later
 * @throws {ScripError} for every outcome except a payment; see `paymentError`
 */
async function payOrThrow(
  paying: PayDeps,
  request: PayRequest,
  goOn: OwnText,
): Promise<PaidOutcome> {
  const { payOrder } = await import('./pay.ts');
  const outcome = await payOrder(paying, request);
  if (outcome.kind === 'paid') return outcome;
  throw paymentError(request.orderId, outcome, goOn);
}

/** Pays an order created earlier. After a partial payment, returns while the order waits for the rest. */
export async function payPlaced(
  deps: ScripDeps,
  open: OpenPayDeps,
  asked: { readonly orderId: string; readonly terms: PaymentTerms },
): Promise<Bought> {
  const { orderId } = asked;
  const { waitMs, isWaiting, goOn, ...request } = asked.terms;
  const paying = await open(waitMs);
  const { order, signatures, transactions } = await payOrThrow(
    paying,
    { ...request, orderId },
    goOn,
  );
  const isBoughtBefore = signatures === 0;
  if (isBoughtBefore) deps.notify({ kind: 'paid-before' });
  const isLeft = awaitsPayment({ orderState: order.order_state });
  const { document, error } =
    isWaiting && !isLeft
      ? await followToEnd(deps, orderId, waitMs)
      : { document: documentOf(order), error: undefined };
  return { document, error, isBoughtBefore, transactions };
}

export async function settleLive(deps: PayDeps, orderId: string): Promise<void> {
  const { liveTransfer, readOrderJournal } = await import('./partner-journal.ts');
  const { settleTransfer } = await import('../payment/transfer-transport.ts');
  const live = liveTransfer(await readOrderJournal(deps.journal, deps.hostName, orderId));
  if (live !== undefined) await settleTransfer(deps, live);
}
