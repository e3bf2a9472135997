/** `scrip pay`: pays a partner API order from the local wallet, or shows how to pay it. */

import type { Command } from 'commander';
import { partnerMerchant } from '../../api/partner/merchant.ts';
import { payCommand } from '../../api/partner/order-payment.ts';
import { readOrderJournal } from '../../api/partner/partner-journal.ts';
import { cannotSend, meansOf } from '../../api/partner/pay-terms.ts';
import { openJournalAccess, partnerHostName, WALLET_NETWORK } from '../../api/partner/place.ts';
import { partnerOrderError } from '../../api/payment/outcome-error.ts';
import { checkMerchant } from '../../api/payment/spending.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, parseDecimal } from '../../domain/money/money.ts';
import { isSimulated } from '../../domain/order/order-states.ts';
import { checkPlainDecimal, parseDuration } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { checkConsent, paymentConsent } from '../ordering/consent.ts';
import { playedPayment, tellUnpaid, unpayableOrder } from '../ordering/payment-elsewhere.ts';
import { withWallet } from '../ordering/wallet-money.ts';
import { boughtView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import { checkPartnerOrderId } from '../orders/ledger.ts';
import { atRecordedHost, namedOrder, orderMeant, viewAt } from '../orders/order-meant.ts';
import { isWaiting, partnerOrderView } from '../orders/partner-order.ts';
import { type PaymentWindow, paymentWindow, simulatedNote } from '../orders/payment-window.ts';
import type { View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import type { Settings } from '../settings/settings.ts';

const OPTIONS = {
  '--yes': 'do not ask; needs --max-amount',
  '--max-amount <amount>': 'maximum to pay, in the coin of the order',
  '--amount <amount>': 'pay only this part now',
  '--missing': 'pay the amount the merchant says is missing, even if another wallet paid a part',
  '--open-account': 'also pay for opening the recipient’s token account if it is missing',
  '--show': 'pay nothing; show amount, address, payment URI and a QR code (not in the sandbox)',
  '--no-wait': 'return when the payment is final, before delivery',
  '--timeout <time>': ['how long to wait for delivery', '10m'],
  '--reveal':
    'print the code even when the output is not a terminal; --json and --ndjson always do',
} as const;

type PayFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument(
      '[order_id]',
      'order id or its beginning, from scrip order --via partner; a terminal offers the latest',
    )
    .action((id: string | undefined, flags: PayFlags) => {
      const waitMs = parseDuration(flags.timeout);
      for (const text of [flags.maxAmount, flags.amount])
        if (text !== undefined) checkPlainDecimal(text);
      return bind(async (context) => {
        const orderId = checkPartnerOrderId(await orderMeant(context, id, ['pay']));
        const isAsked = flags.yes !== true && context.settings.mayPrompt;
        const view = await withWallet(context, isAsked, () =>
          run(context, orderId, { ...flags, waitMs }),
        );
        return forOutput(context, view, { isRevealed: flags.reveal ?? false });
      });
    });
  addExamples(command, [
    'pay <order_id>',
    'pay <order_id> --yes --max-amount 26 --json',
    'pay <order_id> --show',
  ]);
}

type PayOptions = PayFlags & { readonly waitMs: number };

async function run(context: BuyerContext, orderId: string, options: PayOptions): Promise<View> {
  const place = await placeOf(context, orderId, options);
  const deps = scripDeps({ ...context, settings: place });
  const merchant = partnerMerchant(deps);
  const read = await merchant.read(orderId);
  const order = await withAgreedTerms(deps, read);
  const window = paymentWindow({ ...context, settings: place });
  if (options.show === true) {
    const view = await partnerOrderView(order, undefined, window);
    return viewAt(context.settings, place, view);
  }
  const decimals = await decimalsOf(deps, order);
  if (decimals === undefined) {
    const { yes, maxAmount, amount } = options;
    const isPlain = [yes, maxAmount, amount].every((given) => given === undefined);
    const isOffered = context.settings.mayPrompt && isPlain;
    const played = unpayableOrder({ settings: place }, { document: { form: 'partner', order } });
    if (!isOffered || played === undefined) return unpayableView(order, options, window);
    await tellUnpaid(context, played);
    const bought = await playedPayment(context, merchant, {
      order: played,
      waitMs: options.waitMs,
    });
    return boughtView(bought, { isPaid: false, isResumed: false, isPlay: true });
  }
  const { yes: isAgreed = false, openAccount: opensAccount = false, maxAmount } = options;
  checkConsent(context, { isAgreed, isUnlimited: maxAmount === undefined, isPlaced: true });
  // The order id is the idempotency key: an order is never paid twice.
  await checkMerchant(deps, merchant, true);
  const { host } = merchant;
  const paying = await merchant.paying();
  const isAlone = isAgreed && !context.settings.mayPrompt;
  const bought = await merchant.payPlaced(orderId, {
    partAtomic: partOf(options.amount, decimals),
    trustsMissing: options.missing ?? false,
    // In a terminal the question mentions that no refund address is set; with --yes that is an error.
    waivesRefund: context.settings.mayPrompt && !isAgreed,
    agree: paymentConsent(context, { host, paying }, { isAgreed, maxAmount, opensAccount }),
    isWaiting: options.wait,
    waitMs: options.waitMs,
    goOn: payCommand(orderId, { maxAmount: isAlone ? maxAmount : undefined, opensAccount }),
  });
  return boughtView(bought, {
    isPaid: true,
    isResumed: false,
    isPlay: place.isEmbedded,
  });
}

/** A part of the amount, as typed. @throws {ScripError} AMOUNT_INVALID */
function partOf(text: string | undefined, decimals: number): Atomic | undefined {
  if (text === undefined) return undefined;
  const part = parseDecimal(text, decimals);
  if (part > 0n) return part;
  throw new ScripError('AMOUNT_INVALID', t`The amount to pay must be more than 0`);
}

/**
 * Returns the settings for the order's host, from the journal. --show may read an order at a recorded host,
 * but a payment needs a host on the command line or in the settings. That may be another server of the shop: what
 * it says must be the order as it was placed, which is paid once, whichever server is asked.
 * @throws {ScripError} INPUT_INVALID with the option to add
 */
async function placeOf(
  context: BuyerContext,
  orderId: string,
  { show }: PayOptions,
): Promise<Settings> {
  const { host } = await namedOrder(context, orderId);
  const place = atRecordedHost(context, { host });
  if (show === true) return place;
  if (place === context.settings)
    return host === undefined ? place : { ...place, recordedAs: host };
  const { checkoutUrl } = place;
  throw new ScripError('INPUT_INVALID', t`Order ${orderId} belongs to ${checkoutUrl}`, {
    hint: commandText`To pay it there: scrip pay ${orderId} --checkout-url ${checkoutUrl}`,
    details: { order_id: orderId, host: checkoutUrl },
  });
}

/** If the merchant omits payment details, uses those that the user confirmed. */
async function withAgreedTerms(
  deps: ScripDeps,
  order: WirePartnerOrder,
): Promise<WirePartnerOrder> {
  const { coin, network, wallet_address, coin_amount } = order;
  if ([coin, network, wallet_address, coin_amount].every((term) => term !== undefined))
    return order;
  const { journal } = await openJournalAccess(deps);
  const orderJournal = await readOrderJournal(journal, partnerHostName(deps.place), order.order_id);
  const { created } = orderJournal;
  const payTo = wallet_address ?? created?.wallet_address;
  const amount = coin_amount ?? created?.coin_amount;
  return {
    ...order,
    ...meansOf(orderJournal, order),
    ...(payTo === undefined ? {} : { wallet_address: payTo }),
    ...(amount === undefined ? {} : { coin_amount: amount }),
  };
}

/** Decimals of the order's coin; undefined if the local wallet cannot send it. */
async function decimalsOf(
  deps: ScripDeps,
  { coin = '', network = '' }: WirePartnerOrder,
): Promise<number | undefined> {
  return (await deps.rail(WALLET_NETWORK)).asset({ coin, network })?.decimals;
}

/**
 * The order must be paid from another wallet: shows how. If options asked for a payment, also returns an
 * error.
 */
async function unpayableView(
  order: WirePartnerOrder,
  options: PayOptions,
  window: PaymentWindow,
): Promise<View> {
  const { yes = false, maxAmount, amount } = options;
  if (isWaiting(order)) {
    const { coin = '', network = '' } = order;
    const isTold = yes || maxAmount !== undefined || amount !== undefined;
    if (!isTold) return partnerOrderView(order, undefined, window);
    const refusal = cannotSend({ coin, network }, order.order_id);
    const error = isSimulated(order) ? remade(refusal, { hint: simulatedNote(order) }) : refusal;
    return partnerOrderView(order, error, window);
  }
  return partnerOrderView(order, partnerOrderError(order));
}
