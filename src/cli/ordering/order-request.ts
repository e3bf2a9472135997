/**
 * Completes an order from the command line: product, country, recipient and e-mail, by settings or questions.
 */

import { begunWith, goodsBefore } from '../../api/checkout/bought-before.ts';
import { openMerchant } from '../../api/merchants.ts';
import { checkListed } from '../../api/partner/means.ts';
import { partnerHost } from '../../api/partner/place.ts';
import { checkMerchant } from '../../api/payment/spending.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { orNearestValues } from '../browsing/offered-product.ts';
import type { BuyerContext } from '../context.ts';
import { boughtView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import type { View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import { mayAsk } from './consent.ts';
import { checkComplete, checkSentTo, emailFor, recipientFor } from './missing-options.ts';
import { lineFor, namedBefore, nameProduct, type OrderRequest } from './named-product.ts';
import { noticePrinter } from './notices.ts';
import { type PlaceOrderInput, placeOrder } from './ordering.ts';

/**
 * Completes the order and places it.
 * @throws {ScripError} as `placeOrder`; USAGE naming what is missing; the codes of `chooseProduct`
 */
export async function orderInWords(context: BuyerContext, request: OrderRequest): Promise<View> {
  const { words, input } = request;
  const name = async () => {
    // With its brand a product is not looked up: nothing is asked for before the host is checked.
    if (words.brand === undefined) await checkPaid(context, input);
    // Refuses a coin or network that the merchant does not list, before any question.
    if (mayAsk(context, input) && input.merchant === 'partner') {
      await checkListed(partnerHost(scripDeps(context)), input.orderInput);
    }
    return nameProduct(context, request);
  };
  await checkComplete(context, request, name);
  const { key, merchant, isDryRun } = input;
  // The purchase that this key began at the checkout host: looked up in the journal before the catalog.
  const isKeyed = key !== undefined && merchant === 'checkout' && !isDryRun;
  const begun = isKeyed ? await begunWith(scripDeps(context), key) : undefined;
  const before = begun && (await namedBefore(begun, words));
  const named = before ?? (await name());
  const to = await recipientFor(context, request, named);
  await checkSentTo(named, to);
  const email = await emailFor(context, request, to);
  const { quantity } = words;
  const { productId, country, brand, value } = named;
  const item = { productId, country, brand, value, to, quantity };
  const orderInput = { ...input.orderInput, items: [item], email };
  const known = begun && (await boughtBefore(context, begun, { ...input, orderInput }));
  if (known !== undefined) return known;
  return orNearestValues(
    context,
    { ...named, merchant },
    (offer) => lineFor(context, request, offer),
    () => placeOrder(context, { ...input, orderInput }),
  );
}

/** Refuses a host that may not be paid, before its lists are asked for the product. */
async function checkPaid(
  context: BuyerContext,
  { merchant, isPaid, isDryRun, key }: PlaceOrderInput,
): Promise<void> {
  if (!isPaid || isDryRun) return;
  const deps = scripDeps(context);
  await checkMerchant(deps, await openMerchant(deps, merchant), key !== undefined);
}

/** What this idempotency key bought earlier, if the same order is placed again. */
async function boughtBefore(
  context: BuyerContext,
  entry: Entry,
  input: PlaceOrderInput,
): Promise<View | undefined> {
  const merchant = await openMerchant(scripDeps(context), 'checkout');
  const bought = await goodsBefore(merchant, { entry, orderInput: input.orderInput, terms: input });
  if (bought === undefined) return undefined;
  noticePrinter(context).notify({ kind: 'bought-before', bought: entry.intent });
  return forOutput(
    context,
    await boughtView(bought, {
      isPaid: true,
      isResumed: false,
      isPlay: context.settings.isEmbedded,
    }),
    input,
  );
}
