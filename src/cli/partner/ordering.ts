/** `scrip order` by the partner API: checked, agreed on, made once, and paid from the local wallet if asked. */

import { kindOf } from '../../api/partner/cart.ts';
import type { PartnerOrderRequest } from '../../api/partner/partner-order.ts';
import type { PayOutcome } from '../../api/partner/pay-terms.ts';
import type { WireCreateOrder, WirePartnerOrder } from '../../contract/partner-orders.ts';
import { checkEmail } from '../../domain/beneficiary.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { formatDecimal } from '../../domain/money.ts';
import { endedWithoutGoods, isPaid, isSettingUp } from '../../domain/order-states.ts';
import { isOwnNetwork } from '../../domain/payment-means.ts';
import { padCents } from '../amount.ts';
import { agreeOn, checkConsent, isSummaryTold } from '../buying/agreement.ts';
import { confirmCountry, refuseUnasked } from '../buying/recipient.ts';
import { sayMadeBefore, sayPaidBefore } from '../buying/resuming.ts';
import { checkIntention, type Headroom, headroomText } from '../buying/spending.ts';
import { linesText } from '../buying/summary.ts';
import type { Context } from '../context.ts';
import type { Line, RecordView, View } from '../output/view.ts';
import { type MeansFlags, partnerHost } from './api.ts';
import { readItems } from './cart.ts';
import { type Checked, checkedView, checkOrder, lineTexts } from './checking.ts';
import { checkPayable, type Offer, priceOf } from './offer.ts';
import { problemsError } from './problem.ts';
import {
  checkPartnerHost,
  makingDeps,
  openPartnerBooks,
  type PartnerBooks,
  partnerHostName,
  payingDeps,
} from './purchasing.ts';
import { boughtView, isWaiting, partnerOrderView } from './view.ts';

export interface PartnerOrderFlags extends MeansFlags {
  readonly country?: string;
  readonly brand?: string;
  readonly to: string;
  readonly email: string;
  readonly value?: string;
  readonly quantity?: string;
  readonly coupon?: string;
  readonly refundWallet?: string;
  readonly pay?: boolean;
  readonly yes?: boolean;
  readonly openAccount?: boolean;
  readonly maxAmount?: string;
  readonly wait: boolean;
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
  /** What is ordered was shown already: it is not told again. */
  readonly isShown?: boolean;
  /** Somebody has just answered for it, and is there to be asked what is unusual about it. */
  readonly isAnswered?: boolean;
  readonly allowDuplicate?: boolean;
  readonly allowOtherCountry?: boolean;
  readonly note?: string | undefined;
  readonly callbackUrl?: string;
}

/** @throws {ScripError} TERMINAL_REQUIRED, DECLINED, and whatever speaks against making or paying it */
export async function partnerOrder(
  context: Context,
  productId: string,
  options: PartnerOrderFlags & { readonly waitMs: number },
): Promise<View> {
  const isDryRun = options.dryRun ?? false;
  if (!isDryRun) {
    const { yes: isAgreed = false, pay, maxAmount } = options;
    const isLimited = pay !== true || maxAmount !== undefined;
    checkConsent(context, { isAgreed, limitFlag: isLimited ? undefined : '--max-amount' });
    if (options.pay === true) {
      await checkPartnerHost(context, options.idempotencyKey !== undefined);
    }
  }
  const books = await openPartnerBooks(context);
  const checked = await check(context, productId, { options, books });
  const consent = {
    allowsOtherCountry: options.allowOtherCountry === true,
    isSilent: options.yes === true && options.isAnswered !== true,
  };
  if (isDryRun) {
    refuseUnasked(context, checked.recipients, consent);
    return { ...checkedView(checked), title: t`Nothing was sent; this is what would be ordered` };
  }
  // D0: with problems no order is made.
  const problem = problemsError(checked.problems);
  if (problem !== undefined) throw problem;
  await confirmCountry(context, checked.recipients, consent);
  const offer = await priceOf(context, checked, options);
  // A key that does not open is found out before there is an order to pay.
  if (options.pay === true && books.signer !== undefined) await context.parts.vault(books.signer);
  const room = await roomOf(context, { checked, offer, options });
  await agree(context, { checked, offer, options }, room);
  const order = await make(context, { checked, offer, options, books });
  if (options.pay !== true) return partnerOrderView(order);
  return payNow(context, order, { offer, options });
}

async function check(
  context: Context,
  productId: string,
  { options, books }: { readonly options: PartnerOrderFlags; readonly books: PartnerBooks },
): Promise<Checked> {
  const email = checkEmail(options.email);
  const items = await readItems(context, productId, options);
  context.io.progress.step(t`Checking the order`);
  const checked = await checkOrder(context, { ...options, items, email });
  context.io.progress.done();
  // Money comes back to the wallet that pays; other chains need an address of their own.
  const own = isOwnNetwork(checked.means.network) ? books.signer?.address : undefined;
  const refundAddress = options.refundWallet ?? own;
  const told = options.callbackUrl;
  return {
    ...checked,
    request: {
      ...checked.request,
      ...(refundAddress === undefined ? {} : { refund_wallet_address: refundAddress }),
      ...(told === undefined ? {} : { state_transition_notification_url: told }),
    },
  };
}

interface Agreed {
  readonly checked: Checked;
  readonly offer: Offer;
  readonly options: PartnerOrderFlags;
}

/** What the policy leaves for an order that is to be paid at once; undefined for any other. */
async function roomOf(
  context: Context,
  { checked, offer, options }: Agreed,
): Promise<Headroom | undefined> {
  if (options.pay !== true) return undefined;
  await checkPayable(context, offer);
  const { body, summary, kinds, quotedAtomic } = requestFor(checked, offer, options);
  return checkIntention(await payingDeps(context, 0), {
    host: partnerHostName(context.settings),
    body: canonicalJson(body),
    summary,
    ...(kinds === undefined ? {} : { kinds }),
    usdcAtomic: offer.coin === 'USDC' ? quotedAtomic : undefined,
    refundsTo: body.refund_wallet_address ?? undefined,
  });
}

async function agree(
  context: Context,
  { checked, offer, options }: Agreed,
  room: Headroom | undefined,
): Promise<void> {
  const isTold = isSummaryTold(context, options.yes === true) && options.isShown !== true;
  if (isTold)
    context.io.stderr.write(
      linesText(summaryLines(checked, offer, options, room), context.io.localize),
    );
  const most = formatDecimal(offer.capAtomic, offer.decimals);
  const question =
    options.pay === true
      ? t`Make this order and pay up to ${most} ${offer.coin}?`
      : t`Make this order, to be paid with ${offer.price} ${offer.coin}?`;
  await agreeOn(context, {
    isAgreed: options.yes === true,
    isAnswered: options.isAnswered,
    question,
    amountText: most,
    isLarge: room?.isLarge ?? false,
    declined: { message: t`you declined; no order was made` },
  });
}

function summaryLines(
  checked: Checked,
  offer: Offer,
  { email }: PartnerOrderFlags,
  room: Headroom | undefined,
): readonly Line[] {
  const { request } = checked;
  return [
    ...lineTexts(checked).map((text) => [t`Product`, text] as const),
    [t`E-mail`, email],
    [t`Price`, t`${padCents(offer.price)} ${offer.coin} on ${offer.network}`],
    [
      t`Refunds to`,
      request.refund_wallet_address ?? t`nowhere: name a wallet with --refund-wallet`,
    ],
    ...(room === undefined ? [] : [[t`Left`, headroomText(room)] as const]),
  ];
}

/** Makes the order; one of the same request that ended meanwhile gives way to a new one. */
async function make(
  context: Context,
  { checked, offer, options, books }: Agreed & { readonly books: PartnerBooks },
): Promise<WirePartnerOrder> {
  const { giveUpOrder, makeOrder } = await import('../../api/partner/partner-order.ts');
  const host = partnerHost(context, checked.lines[0]?.countryCode);
  const deps = makingDeps(context, host, books);
  const request = requestFor(checked, offer, options);
  context.io.progress.step(t`Making the order`);
  const made = await makeOrder(deps, request).catch((error) => again(context, error, options));
  if (made === 'again') return (await makeOrder(deps, { ...request, allowsDuplicate: true })).order;
  if (made.isNew) return made.order;
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getOrderStatus } = await import('../../contract/partner-orders.ts');
  const fresh = await callPartner(host, getOrderStatus, { order_id: made.order.order_id });
  const isOver = endedWithoutGoods({ orderState: fresh.order_state });
  if (!isOver || options.idempotencyKey !== undefined) {
    sayMadeBefore(context, fresh, options.idempotencyKey);
    return fresh;
  }
  await giveUpOrder(deps.journal, made.entry, fresh.order_state);
  return (await makeOrder(deps, request)).order;
}

/** Asked about where somebody can be; else the refusal stands. */
async function again(
  context: Context,
  error: unknown,
  { yes, isAnswered }: PartnerOrderFlags,
): Promise<'again'> {
  if (!(error instanceof ScripError) || error.code !== 'DUPLICATE_PURCHASE') throw error;
  const { confirmRepetition } = await import('../buying/order-agreement.ts');
  await confirmRepetition(context, error, yes === true && isAnswered !== true);
  return 'again';
}

function requestFor(
  { request, lines }: Checked,
  offer: Offer,
  { idempotencyKey, email, allowDuplicate, note }: PartnerOrderFlags,
): PartnerOrderRequest {
  const [first] = lines;
  const body: Omit<WireCreateOrder, 'acquisition'> = { ...request, user: { email } };
  return {
    key: idempotencyKey,
    kinds: lines.map(kindOf),
    allowsDuplicate: allowDuplicate ?? false,
    note,
    body,
    quotedAtomic: offer.priceAtomic,
    capAtomic: offer.capAtomic,
    decimals: offer.decimals,
    summary: {
      productId: first?.productId ?? '',
      productName:
        `${first?.brand.brand ?? ''} ${first?.value ?? first?.product.denomination ?? ''}`.trim(),
      brandName: first?.brand.brand ?? '',
      countryCode: first?.countryCode ?? '',
      faceValue: first?.value ?? first?.product.denomination ?? '',
      currency: first?.product.face_value?.currency_code ?? first?.product.range?.currency ?? '',
      beneficiary: first?.to ?? '',
    },
  };
}

type Paying = Pick<Agreed, 'offer'> & {
  readonly options: PartnerOrderFlags & { readonly waitMs: number };
};

/**
 * The price was agreed on before the order was made; above that, nothing is signed. Where the order
 * was paid before, by whatever machine, what it brought is waited for all the same.
 */
async function payNow(
  context: Context,
  order: WirePartnerOrder,
  { offer, options }: Paying,
): Promise<RecordView> {
  const { order_id: orderId, payment_state: paymentState } = order;
  const orderState = order.order_state;
  const paid =
    isWaiting(order) || isSettingUp({ orderState, paymentState })
      ? await payWaiting(context, orderId, { offer, options })
      : undefined;
  const isBought = paid === undefined ? isPaid({ paymentState }) : paid.signatures === 0;
  if (isBought) sayPaidBefore(context);
  const { waitMs: timeoutMs } = options;
  const { asItStands, followed } = await import('./following.ts');
  const shown = options.wait
    ? await followed(context, { orderId, mode: 'auto', timeoutMs, isWritten: false })
    : await asItStands(paid?.order ?? order);
  return boughtView(shown, isBought);
}

async function payWaiting(
  context: Context,
  orderId: string,
  { offer, options }: Paying,
): Promise<Extract<PayOutcome, { readonly kind: 'paid' }>> {
  const { agreement, pay, payCommand } = await import('./paying.ts');
  const consent = {
    isAgreed: true,
    maxAmount: formatDecimal(offer.capAtomic, offer.decimals),
    opensAccount: options.openAccount ?? false,
  };
  const waitMs = Math.max(options.waitMs, LEAST_SEEN_MS);
  const setupMs = options.wait ? options.waitMs : waitMs;
  const deps = { ...(await payingDeps(context, waitMs)), setupMs };
  const request = { orderId, agree: agreement(context, consent) };
  return pay(deps, request, payCommand(context, orderId, consent));
}

/** Also without waiting for the goods, the merchant is given this long to see the payment. */
const LEAST_SEEN_MS = 30_000;
