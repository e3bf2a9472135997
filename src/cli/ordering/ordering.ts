/** The end of `scrip order` and the wizard: one purchase, confirmed, placed once, shown. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import type { Bought, OrderInput, OrderTerms } from '../../api/merchant.ts';
import { type MerchantName, openMerchant } from '../../api/merchants.ts';
import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { With } from '../context.ts';
import { boughtView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import { rehearsalView } from '../orders/rehearsal.ts';
import type { View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { checkConsent } from './asking.ts';
import { type Asked, consentOf, mayAsk } from './consent.ts';
import { noticePrinter } from './notices.ts';
import { paidElsewhere } from './payment-elsewhere.ts';
import { playedPayment, unpaidPlayView, unpayableOrder } from './play-payment.ts';
import { withWallet } from './wallet-money.ts';

/** All that a command line, or a guided purchase, says of an order. */
export interface PlaceOrderInput extends OrderTerms {
  readonly merchant: MerchantName;
  readonly orderInput: OrderInput;
  /** Paid at once from the wallet of this machine. */
  readonly isPaid: boolean;
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
  /** A phone number of another country than the product's is meant. */
  readonly allowsOtherCountry: boolean;
  /** The code may go into a pipe. */
  readonly isRevealed: boolean;
}

/** What a caller has done that no flag says. */
export type OrderCaller = Omit<Asked, 'isAgreed' | 'details'>;

/**
 * Buys it and waits for its code, or says what would be bought.
 * @throws {ScripError} for every end that has no document
 */
export async function placeOrder(
  context: ScripContext & With<'keys'>,
  input: PlaceOrderInput,
  caller: OrderCaller,
): Promise<View> {
  const { orderInput, isPaid, isAgreed, allowsOtherCountry } = input;
  const notices = noticePrinter(context);
  const deps = { ...scripDeps(context), notify: notices.notify };
  const asked = { ...caller, isAgreed };
  if (input.isDryRun) {
    const merchant = await openMerchant(deps, input.merchant);
    const { rehearse } = await import('../../api/order.ts');
    const isAllowed = allowsOtherCountry || mayAsk(context, asked);
    const rehearsed = await rehearse(deps, merchant, {
      orderInput,
      isPaid,
      allowsOtherCountry: isAllowed,
    });
    return rehearsalView(merchant, rehearsed);
  }
  const isUnlimited = isPaid && orderInput.maxAmount === undefined;
  checkConsent(context, { isAgreed, limitFlag: isUnlimited ? '--max-amount' : undefined });
  const { order } = await import('../../api/order.ts');
  const isAsked = mayAsk(context, asked);
  const reading = new AbortController();
  const details = isAgreed || !isAsked ? undefined : detailsOf(deps, orderInput, reading.signal);
  const consent = consentOf(context, { ...asked, details });
  const made = await withWallet(context, isPaid && isAsked, async () => {
    const merchant = await openMerchant(deps, input.merchant);
    return order(deps, merchant, { orderInput, request: { ...input, consent } });
  }).finally(() => reading.abort());
  const unpayable = isPaid ? undefined : unpayableOrder(context, made);
  const { waitMs } = input.timeouts;
  const played =
    unpayable !== undefined && isAsked
      ? await playedPayment(context, await openMerchant(deps, input.merchant), {
          order: unpayable,
          waitMs,
        })
      : undefined;
  const shown = (bought: Bought) =>
    boughtView(bought, {
      isPaid,
      isResumed: notices.isResumed(),
      isPlay: context.settings.isEmbedded,
    });
  const view = await shown(played ?? made);
  if (unpayable !== undefined && played === undefined) {
    return forOutput(context, unpaidPlayView(view, unpayable.order_id), input);
  }
  if (isPaid || played !== undefined || !input.isWaiting) return forOutput(context, view, input);
  const merchant = await openMerchant(deps, input.merchant);
  const followed = await paidElsewhere(context, merchant, { made, view, waitMs });
  return forOutput(context, followed === undefined ? view : await shown(followed), input);
}

/** Read while the price is asked for; undefined of a product that is named without its brand. */
function detailsOf(
  deps: ScripDeps,
  { items: [item] }: OrderInput,
  signal: AbortSignal,
): Promise<ProductDetails> | undefined {
  if (item?.brand === undefined) return undefined;
  const { productId, country, brand } = item;
  const around = { ...deps, signal: AbortSignal.any([deps.signal, signal]) };
  return readDetails(around, { productId, country, brand }, BESIDE_PRICE_MS);
}
