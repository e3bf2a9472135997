/** Buys for the library: one order, confirmed by `confirm`, paid once, returned as a value. */

import { checkEmail } from '../../domain/address/email.ts';
import { type Entry, isPaidFor } from '../../domain/journal/journal.ts';
import { wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { formatDecimal } from '../../domain/money/money.ts';
import { hostKey, usdcText } from '../../domain/policy/policy.ts';
import { begunWith, isSame } from '../checkout/bought-before.ts';
import { untilAborted } from '../http/deadline.ts';
import type { Merchant, OrderInput as MerchantOrderInput } from '../merchant.ts';
import { type Agreement, order } from '../order.ts';
import type { PaymentQuote } from '../partner/pay-terms.ts';
import { checkMerchant } from '../payment/spending.ts';
import type { ScripDeps } from '../scrip.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { afterFailure, bareValue, goodsOf, outcomeOf, outcomeOfBought } from './outcome.ts';
import type {
  OrderInput,
  OrderOptions,
  OrderSummary,
  Outcome,
  PayOptions,
  PaySummary,
} from './public.ts';

/** An order with its product's country and brand. */
export interface LocatedOrderInput extends OrderInput {
  readonly country: string;
  readonly brand: string;
}

/**
 * Buys once and waits for the goods.
 * @throws {ScripError} while nothing is paid; see `order` of the shared layer
 */
export async function orderOnce(
  deps: ScripDeps,
  merchant: Merchant,
  { wanted, options }: { readonly wanted: LocatedOrderInput; readonly options: OrderOptions },
): Promise<Outcome> {
  const { idempotencyKey: key } = options;
  const isConfirmed = asker(deps, options.confirm);
  const orderInput = orderInputOf(wanted, options.maxAmount);
  const known = key === undefined ? undefined : await findKnown(deps, merchant, key, orderInput);
  if (known !== undefined) {
    const outcome = await goOn(deps, merchant, { entry: known, options });
    if (outcome !== undefined) return outcome;
  }
  try {
    const bought = await order(deps, merchant, {
      orderInput,
      request: {
        key,
        note: options.note,
        allowsDuplicate: options.allowDuplicate ?? false,
        allowsOtherCountry: options.allowOtherCountry ?? false,
        opensAccount: false,
        isWaiting: options.waitMs !== 0,
        timeouts: timeoutsFor(options),
        isPaid: true,
        consent: {
          purchase: async (agreement) => isConfirmed(summaryOf(agreement, wanted)),
        },
      },
    });
    return await outcomeOfBought(deps, { key, bought });
  } catch (error) {
    return afterFailure(deps, { key, error });
  }
}

/** @throws {ScripError} EMAIL_INVALID */
export function orderInputOf(wanted: LocatedOrderInput, maxAmount?: string): MerchantOrderInput {
  const { productId, country, brand, value, to } = wanted;
  return {
    items: [{ productId, country, brand, value, to, quantity: 1 }],
    email: emailOf(wanted),
    maxAmount,
  };
}

function emailOf({ email, to }: OrderInput): string {
  return checkEmail(email ?? to);
}

/** Asks by the caller's function. @throws {ScripError} CONFIRMATION_REQUIRED without one */
export function asker<Summary>(
  { signal }: ScripDeps,
  confirm: ((summary: Summary) => boolean | Promise<boolean>) | undefined,
): (summary: Summary) => Promise<boolean> {
  if (confirm === undefined) {
    throw new ScripError('CONFIRMATION_REQUIRED', t`A payment needs a confirm function`, {
      hint: t`Pass confirm: a function that receives the payment summary and returns true or false.`,
    });
  }
  return async (summary) => (await untilAborted(signal, () => confirm(summary))) === true;
}

function summaryOf(
  { offer: quote, price, merchant, room }: Agreement,
  wanted: LocatedOrderInput,
): OrderSummary {
  const { summary } = quote;
  return {
    merchant: hostKey(merchant.host),
    productId: summary.productId,
    productName: summary.productName,
    brand: summary.brandName,
    country: summary.countryCode,
    value: bareValue(summary.faceValue, summary.currency),
    currency: summary.currency,
    to: summary.beneficiary,
    email: quote.email ?? emailOf(wanted),
    price: price.text,
    maxAmount: usdcText(price.capAtomic),
    leftToday: room && usdcText(room.leftAtomic),
  };
}

/**
 * Finds the same purchase of this key, with a live payment or goods. It is continued before any request to the
 * merchant, so that neither a new price nor a discontinued product stops it.
 * @throws {ScripError} WALLET_MISSING, JOURNAL_UNUSABLE
 */
async function findKnown(
  deps: ScripDeps,
  merchant: Merchant,
  key: string,
  orderInput: MerchantOrderInput,
): Promise<Entry | undefined> {
  await deps.signer();
  const entry = await begunWith(deps, key);
  if (entry === undefined || !merchant.sells(entry.intent)) return undefined;
  return isPaidFor(entry) && isSame(entry, orderInput) ? entry : undefined;
}

/** Finishes the purchase; undefined when its payment can no longer land, so that it may be paid again. */
async function goOn(
  deps: ScripDeps,
  merchant: Merchant,
  { entry, options }: { readonly entry: Entry; readonly options: OrderOptions },
): Promise<Outcome | undefined> {
  try {
    const { receipt, error } = await merchant.finish(entry, timeoutsFor(options));
    if (receipt.status === 'unpaid') return undefined;
    const journal = await deps.journal(await deps.signer());
    const fresh = (await journal.byKey(entry.intent.key)) ?? entry;
    return outcomeOf(fresh, {
      status: receipt.status,
      deliveries: await goodsOf(deps, fresh),
      error,
    });
  } catch (error) {
    return afterFailure(deps, { key: entry.intent.key, error });
  }
}

/**
 * Pays an order created earlier.
 * @throws {ScripError} ORDER_UNKNOWN, ORDER_NOT_PAYABLE; as `orderOnce`
 */
export async function payOnce(
  deps: ScripDeps,
  merchant: Merchant,
  { orderId, options }: { readonly orderId: string; readonly options: PayOptions },
): Promise<Outcome> {
  const isConfirmed = asker(deps, options.confirm);
  if (merchant.payPlaced === undefined) {
    throw new ScripError(
      'ORDER_NOT_PAYABLE',
      t`The checkout host creates an order only when it is paid`,
      {
        hint: t`Run the order again with the same key.`,
      },
    );
  }
  try {
    await checkMerchant(deps, merchant, true);
    const { checkLimit, checkOpening } = await import('../partner/pay-terms.ts');
    const bought = await merchant.payPlaced(orderId, {
      agree: async (quote) => {
        checkLimit(quote, options.maxAmount);
        checkOpening(quote, false);
        if (!(await isConfirmed(paySummary(merchant, quote)))) {
          throw new ScripError('DECLINED', t`You declined; nothing was paid`);
        }
      },
      isWaiting: options.waitMs !== 0,
      waitMs: timeoutsFor(options).waitMs,
      goOn: wordList(['scrip', 'pay', orderId], ' '),
    });
    return await outcomeOfBought(deps, { key: undefined, bought });
  } catch (error) {
    return afterFailure(deps, { key: undefined, error });
  }
}

function paySummary({ host }: Merchant, quote: PaymentQuote): PaySummary {
  const { order: made, amountAtomic, decimals, coin, network, payTo, recipients = [] } = quote;
  return {
    merchant: hostKey(host),
    orderId: made.order_id,
    amount: formatDecimal(amountAtomic, decimals),
    coin,
    network,
    payTo,
    recipients,
  };
}

/** Returns the timeouts: `waitMs` limits the wait for goods, not the time to settle a payment. */
export function timeoutsFor({ waitMs }: Pick<OrderOptions, 'waitMs'>): Timeouts {
  const usual = timeoutsOf(undefined, true);
  return { ...usual, waitMs: waitMs ?? usual.waitMs };
}
