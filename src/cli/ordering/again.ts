/** `scrip order again`: turns an earlier purchase into the options for the same order. */

import { openMerchant } from '../../api/merchants.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type OrderedGoods, orderedGoods } from '../../domain/order/ordered-products.ts';
import type { BuyerContext, With } from '../context.ts';
import { findEntry, isSigned, readLedger } from '../orders/ledger.ts';
import { hostWords } from '../orders/order-meant.ts';
import { scripDeps } from '../scrip-deps.ts';

/**
 * Finds the order to repeat.
 * @param id as in `scrip orders`; without it the latest order, only in interactive use
 * @returns its options by name, without price, limit, idempotency key, coupon and callback URL
 * @throws {ScripError} USAGE, ORDER_UNKNOWN, JOURNAL_UNUSABLE
 */
export async function repeatedOrder(
  context: BuyerContext,
  { id, isAsking }: { readonly id: string | undefined; readonly isAsking: boolean },
) {
  if (id === undefined && !isAsking) {
    throw new ScripError('USAGE', t`No order to repeat was named`, {
      hint: commandText`Name it: scrip order again <order_id>. To see the orders of this machine: scrip orders`,
    });
  }
  const entry = id === undefined ? await latestOrder(context) : await findEntry(context, id);
  const { intent } = entry;
  const goods = orderedGoods(intent);
  const { productId } = intent.summary;
  const isPartner = intent.partner !== undefined;
  if (goods === undefined || productId === '' || (goods.quantity > 1 && !isPartner)) {
    throw new ScripError('USAGE', t`The order ${nameOf(entry, id)} cannot be repeated by its id`, {
      hint: t`It has several products, or its details were not saved. Order the product or the cart instead.`,
    });
  }
  const merchant = await openMerchant(scripDeps(context), isPartner ? 'partner' : 'checkout');
  if (!merchant.sells(intent)) {
    throw new ScripError(
      'USAGE',
      t`${nameOf(entry, id)} was bought from ${intent.host}, not from ${merchant.host}`,
      {
        hint: commandText`Name its merchant instead: ${wordList(hostWords(context.settings, entry), ' ')}`,
      },
    );
  }
  return { product: productId, flags: flagsOf(entry, goods) };
}

/** @throws {ScripError} ORDER_UNKNOWN, JOURNAL_UNUSABLE */
async function latestOrder(context: With<'parts'>): Promise<Entry> {
  const { entries, problem } = await readLedger(context);
  const latest = entries.findLast((entry) => isSigned(entry) && orderedGoods(entry.intent));
  if (latest !== undefined) return latest;
  throw problem ?? new ScripError('ORDER_UNKNOWN', t`This machine has no order to repeat`);
}

function nameOf({ intent }: Entry, id: string | undefined): string {
  return id ?? intent.intentId;
}

function flagsOf(
  { intent, attempts }: Entry,
  goods: OrderedGoods,
): Readonly<Record<string, string | boolean>> {
  const { summary, partner, payer } = intent;
  const { value, to, email, quantity, paymentVia } = goods;
  const texts = {
    ...{ value, to, email, country: summary.countryCode, brand: summary.brandName },
    ...(partner === undefined
      ? {}
      : {
          ...{ via: 'partner', coin: partner.coin, network: partner.network, paymentVia },
          quantity: String(quantity),
          // The wallet's own address is the default, so leave it out.
          refundWallet: partner.refundAddress === payer ? '' : (partner.refundAddress ?? ''),
        }),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(partner !== undefined && attempts.length > 0 ? { pay: true } : {}),
  };
}
