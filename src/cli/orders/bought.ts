/** Shows an order that was just placed, from its merchant's document. */

import type { Bought, OrderDocument } from '../../api/merchant.ts';
import type { Receipt } from '../../api/receipt.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { given, type RecordView } from '../output/view.ts';
import { goodsOf, handedScreen, partnerGoodsOf } from './deliveries.ts';
import { partnerOrderView } from './partner-order.ts';
import type { PaymentWindow } from './payment-window.ts';
import { checkoutOrderView, paidFacts, receiptView } from './receipt.ts';

export interface Told {
  /** For a receipt: whether to say that this run paid it or an earlier one. */
  readonly isPaid: boolean;
  readonly isResumed: boolean;
  /** Whether the embedded sandbox sold it, for test money. */
  readonly isPlay: boolean;
  /** For an order to be paid from elsewhere. */
  readonly window?: PaymentWindow;
}

export async function boughtView(
  { document, error, isBoughtBefore }: Bought,
  { isPaid, isResumed, isPlay, window }: Told,
): Promise<RecordView> {
  const more = isPaid ? { already_bought: isBoughtBefore } : {};
  if (document.form === 'receipt') {
    const { receipt } = document;
    const view = receiptView(receipt, error, { resumed: isResumed, ...more });
    return { ...view, ...(error === undefined ? await handedReceipt(receipt) : undefined) };
  }
  const view = await documentView(document, error, window);
  const handed = error === undefined ? await handedDocument(document, isPlay) : undefined;
  return { ...view, ...handed, record: { ...Object(view.record), already_bought: isBoughtBefore } };
}

/** Undefined while the delivery is pending, or if nothing can be shown as a code. */
async function handedReceipt(receipt: Receipt): Promise<Partial<RecordView> | undefined> {
  if (receipt.status !== 'completed') return undefined;
  const { deliveries, orderId } = receipt;
  return handedScreen({ goods: deliveries.map(goodsOf), orderId, facts: paidFacts(receipt) });
}

async function handedDocument(
  document: OrderDocument,
  isPlay: boolean,
): Promise<Partial<RecordView> | undefined> {
  if (document.form !== 'partner' || document.order.order_state !== 'Done') return undefined;
  const { order_id: orderId, deliveries = [], received_amount, coin = '' } = document.order;
  const amount = received_amount ? `${priceText(received_amount, coin)} ${coin}`.trim() : undefined;
  const paid = amount && isPlay ? t`${amount} of test money` : amount;
  const facts = given(t`Paid`, paid);
  // Paid from elsewhere, perhaps without a wallet here to encrypt the codes with.
  return handedScreen({ goods: deliveries.map(partnerGoodsOf), orderId, isKept: false, facts });
}

/** Shows an order read from the merchant. @param error why it is no success */
export async function documentView(
  document: OrderDocument,
  error: ScripError | undefined,
  window?: PaymentWindow,
): Promise<RecordView> {
  if (document.form === 'partner') {
    return partnerOrderView(document.order, error, window);
  }
  return checkoutOrderView(document.order, error);
}
