/** Shows an order of a checkout host. */

import type { CalledOrder } from '../../api/merchant.ts';
import type { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { RecordView } from '../output/view.ts';
import { deliveryGroups, deliveryLines, onlyGoods } from './deliveries.ts';
import { orderLines } from './receipt.ts';
import { STATUS_TONES } from './status-tones.ts';

/** Returns the view of an order. @param error why it is no success */
export function checkoutOrderView(order: CalledOrder, error: ScripError | undefined): RecordView {
  const { deliveries = [], status } = order;
  const { order_id: orderId, merchant_order_id: merchantOrderId = null } = order;
  const standing = [...orderLines({ orderId, merchantOrderId }), [t`Status`, status]] as const;
  const title = onlyGoods(deliveries);
  return {
    kind: 'record',
    record: order,
    ...(title === undefined ? {} : { title }),
    tones: { Status: STATUS_TONES[status] },
    lines: [...standing, ...deliveryLines(deliveries)],
    screen: [standing, ...deliveryGroups(deliveries, { title: String(title ?? ''), status })],
    ...(error === undefined ? {} : { error }),
  };
}
