/** The last step of `scrip order` and the wizard: confirms, places and shows one purchase. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import type { Bought, OrderInput, OrderTerms } from '../../api/merchant.ts';
import { type MerchantName, openMerchant } from '../../api/merchants.ts';
import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { BuyerContext } from '../context.ts';
import { boughtView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import { paymentWindow } from '../orders/payment-window.ts';
import { rehearsalView } from '../orders/rehearsal.ts';
import type { View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import { checkConsent, consentOf, mayAsk } from './consent.ts';
import { noticePrinter } from './notices.ts';
import { paidElsewhere, playedPayment, unpayableOrder } from './payment-elsewhere.ts';
import { withWallet } from './wallet-money.ts';

/** A complete order from the command line or the wizard. */
export interface PlaceOrderInput extends OrderTerms {
  readonly merchant: MerchantName;
  readonly orderInput: OrderInput;
  /** Whether to pay it at once from the local wallet. */
  readonly isPaid: boolean;
  readonly isAgreed: boolean;
  /** Whether the wizard has shown the order, and the user agreed to it unless `--yes` was given. */
  readonly isShown?: boolean;
  readonly isDryRun: boolean;
  /** Whether to accept a phone number of another country than the product's. */
  readonly allowsOtherCountry: boolean;
  /** Whether codes may be printed to a pipe. */
  readonly isRevealed: boolean;
}

/**
 * Buys the product and waits for its code; with --dry-run, shows what would be bought.
 * @throws {ScripError} for every outcome without a document
 */
export async function placeOrder(context: BuyerContext, input: PlaceOrderInput): Promise<View> {
  const { orderInput, isPaid, isAgreed, allowsOtherCountry, isShown = false } = input;
  const notices = noticePrinter(context);
  const deps = { ...scripDeps(context), notify: notices.notify };
  const isAsked = mayAsk(context, input);
  if (input.isDryRun) {
    const merchant = await openMerchant(deps, input.merchant);
    const { rehearse } = await import('../../api/order-checks.ts');
    const isAllowed = allowsOtherCountry || isAsked;
    const rehearsed = await rehearse(deps, merchant, {
      orderInput,
      isPaid,
      allowsOtherCountry: isAllowed,
    });
    return rehearsalView(merchant, rehearsed);
  }
  checkConsent(context, { isAgreed, isUnlimited: isPaid && orderInput.maxAmount === undefined });
  const { order } = await import('../../api/order.ts');
  const reading = new AbortController();
  const details = isShown || !isAsked ? undefined : detailsOf(deps, orderInput, reading.signal);
  const consent = consentOf(context, { isAgreed, isShown, details });
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
      window: paymentWindow(context),
    });
  const view = await shown(played ?? made);
  if (isPaid || unpayable !== undefined || !input.isWaiting) return forOutput(context, view, input);
  const merchant = await openMerchant(deps, input.merchant);
  const followed = await paidElsewhere(context, merchant, { made, view, waitMs });
  return forOutput(context, followed === undefined ? view : await shown(followed), input);
}

/** Requests the details in parallel with the price; undefined for a product without its brand. */
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
