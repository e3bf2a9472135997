/** An order that was made, as the document of whoever sells it is shown. */

import type { Bought, OrderDocument } from '../../api/merchant.ts';
import type { ScripError } from '../../domain/errors.ts';
import type { RecordView } from '../output/view.ts';

/** @param isPaid of an order that was to be paid: its document says whether this run has done that */
export async function boughtView(
  { document, error, isBoughtBefore }: Bought,
  { isPaid, isResumed }: { readonly isPaid: boolean; readonly isResumed: boolean },
): Promise<RecordView> {
  const more = isPaid ? { already_bought: isBoughtBefore } : {};
  if (document.form === 'receipt') {
    const { receiptView } = await import('./receipt.ts');
    return receiptView(document.receipt, error, { resumed: isResumed, ...more });
  }
  const view = await documentView(document, error);
  return isPaid ? { ...view, record: { ...document.order, ...more } } : view;
}

/** An order that was read. @param error why it is no success */
export async function documentView(
  document: OrderDocument,
  error: ScripError | undefined,
): Promise<RecordView> {
  if (document.form === 'partner') {
    const { partnerOrderView } = await import('./partner-order.ts');
    return partnerOrderView(document.order, error);
  }
  const { checkoutOrderView } = await import('./checkout-order.ts');
  return checkoutOrderView(document.order, error);
}
