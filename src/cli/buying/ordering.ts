/** `scrip order` at the checkout host: priced, agreed on, bought once, shown. */

import type { PurchaseRequest } from '../../api/checkout/purchase-deps.ts';
import { purchaseError } from '../../api/payment/outcome-error.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { atomic } from '../../domain/money.ts';
import { formatUsdc } from '../amount.ts';
import type { Context } from '../context.ts';
import { forOutput } from '../orders/codes.ts';
import type { View } from '../output/view.ts';
import type { Rehearsal } from '../schemas/purchase.ts';
import { checkConsent } from './agreement.ts';
import { agree, checkCheckoutHost, roomFor, summaryLines } from './order-agreement.ts';
import { type Patience, patienceAfter, purchaseDeps } from './purchasing.ts';
import { type Preview, preview, requestBody, type Wish } from './quoting.ts';
import { isAlreadyBought, receiptOf, receiptView } from './receipt.ts';
import { confirmCountry, refuseUnasked } from './recipient.ts';
import { watchResumption } from './resuming.ts';
import { headroomText } from './spending.ts';

/** What a caller says that no flag does. */
export interface OrderCaller {
  /** All of it was shown already: it is not told again. */
  readonly isShown: boolean;
  /** Somebody has just answered for it, and is there to be asked what is unusual about it. */
  readonly isAnswered: boolean;
}

export interface CheckoutOrder extends OrderCaller {
  readonly wish: Wish;
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
  readonly patience: Patience;
  readonly key: string | undefined;
  readonly allowsDuplicate: boolean;
  /** A phone number of another country than the product's is meant. */
  readonly allowsOtherCountry: boolean;
  readonly note: string | undefined;
  /** Told of each change of the order. */
  readonly callbackUrl: string | undefined;
  /** The code may go into a pipe. */
  readonly isRevealed: boolean;
  /** An order that is accepted and not delivered is what was asked for. */
  readonly isUnawaited: boolean;
}

/**
 * Buys it and waits for its code, or says what would be bought.
 * @throws {ScripError} for every end that has no receipt
 */
export async function orderByCheckout(context: Context, options: CheckoutOrder): Promise<View> {
  if (!options.isDryRun) {
    const { isAgreed, wish } = options;
    const limitFlag = wish.maxAmount === undefined ? '--max-amount' : undefined;
    checkConsent(context, { isAgreed, limitFlag });
    await checkCheckoutHost(context, options.key !== undefined);
  }
  context.io.progress.step(t`Asking for the price`);
  const askedMs = context.parts.clock.now();
  const offer = await preview(context, options.wish);
  const patience = patienceAfter(options.patience, context.parts.clock.now() - askedMs);
  context.io.progress.done();
  const consent = { ...options, isSilent: options.isAgreed && !options.isAnswered };
  if (options.isDryRun) {
    refuseUnasked(context, [offer.recipient], consent);
    return rehearse(context, offer, requestFor(offer, options));
  }
  await confirmCountry(context, [offer.recipient], consent);
  const begun = watchResumption(context);
  const deps = { ...(await purchaseDeps(context, patience)), resuming: begun.say };
  const request = await agree(context, deps, {
    offer,
    request: requestFor(offer, options),
    isAgreed: options.isAgreed,
    isShown: options.isShown,
    isAnswered: options.isAnswered,
    resuming: begun.say,
  });
  const { lookAfterOthers } = await import('./looking-after.ts');
  await lookAfterOthers(context, deps, { body: request.body, key: options.key });
  const { purchase } = await import('../../api/checkout/pay.ts');
  const outcome = await purchase(deps, request);
  const error = purchaseError(outcome);
  if (error !== undefined && !HAS_RECEIPT.has(outcome.kind)) throw error;
  const isWanted = outcome.kind === 'pending' && options.isUnawaited;
  const isBought = isAlreadyBought(outcome);
  if (isBought) begun.sayAlreadyBought(outcome.intent);
  const more = { resumed: begun.isSaid(), already_bought: isBought };
  const view = receiptView(receiptOf(outcome), isWanted ? undefined : error, more);
  return forOutput(context, view, options);
}

/** What is known to be bought has a receipt, however it went on; the rest is an error alone. */
const HAS_RECEIPT: ReadonlySet<string> = new Set(['delivered', 'pending', 'failed']);

/** What would happen: the price, the limit, and whether the wallet holds enough. */
async function rehearse(context: Context, offer: Preview, request: PurchaseRequest): Promise<View> {
  const { address } = await context.parts.signer();
  const rail = await context.parts.rail();
  const usdc = (await rail.balances(address)).usdcAtomic ?? atomic(0n);
  if (usdc < offer.priceAtomic) {
    throw new ScripError(
      'FUNDS_TOO_LOW',
      t`the wallet ${address} holds ${formatUsdc(usdc)} USDC, and the price is ${formatUsdc(offer.priceAtomic)}`,
      { details: { balance: formatUsdc(usdc), price: formatUsdc(offer.priceAtomic), address } },
    );
  }
  const room = await roomFor(context, request);
  return {
    kind: 'record',
    record: {
      dry_run: true,
      product_id: offer.quote.product_id,
      brand_name: offer.quote.brand_name,
      face_value: String(offer.quote.face_value ?? ''),
      currency: offer.quote.currency,
      beneficiary: offer.recipient.account,
      beneficiary_country: offer.recipient.phoneCountry,
      email: offer.email,
      price_usdc: formatUsdc(offer.priceAtomic),
      max_amount_usdc: formatUsdc(offer.capAtomic),
      quote_expires_at: offer.quote.quote_expires_at,
      network: rail.network,
      payer: address,
      balance_usdc: formatUsdc(usdc),
      policy_left_usdc: formatUsdc(room.leftAtomic),
    } satisfies Rehearsal,
    title: t`Nothing was sent; this is what would be bought`,
    lines: [
      ...summaryLines(context, offer),
      [t`Wallet`, address],
      [t`Balance`, `${formatUsdc(usdc)} USDC`],
      [t`Left`, headroomText(room)],
    ],
  };
}

function requestFor(
  offer: Preview,
  { key, wish, allowsDuplicate, note, callbackUrl }: CheckoutOrder,
): PurchaseRequest {
  const { quote, recipient, kind } = offer;
  return {
    key,
    allowsDuplicate,
    note,
    ...(kind === undefined ? {} : { kinds: [kind] }),
    body: {
      ...requestBody(offer, wish.productId),
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    },
    quotedAtomic: offer.priceAtomic,
    capAtomic: offer.capAtomic,
    summary: {
      productId: wish.productId,
      productName: quote.product_name ?? quote.brand_name,
      brandName: quote.brand_name,
      countryCode: offer.countryCode,
      faceValue: String(quote.face_value ?? ''),
      currency: quote.currency,
      beneficiary: recipient.account,
    },
  };
}
