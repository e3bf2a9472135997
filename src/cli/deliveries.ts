/** What was delivered, as labelled lines: codes first, one value on a line. */
import type { OrderStatus, WireDelivery, WireOrderStatus } from '../contract/checkout.ts';
import { type Code, ScripError } from '../domain/errors.ts';

type Line = readonly [label: string, value: string];

const FIELDS: readonly (readonly [field: keyof WireDelivery, label: string])[] = [
  ['delivery_state', 'State'],
  ['beneficiary_account', 'For'],
  ['voucher_code', 'Code'],
  ['pin_serial', 'Serial'],
  ['security_code', 'Security code'],
  ['url', 'Redeem at'],
  ['redeem_instructions', 'How to redeem'],
  ['failure_reason', 'Failed because'],
];

export function deliveryLines(deliveries: readonly WireDelivery[]): readonly Line[] {
  return deliveries.flatMap((delivery, index) => {
    const number = deliveries.length > 1 ? ` ${index + 1}` : '';
    const fields = FIELDS.flatMap(([field, label]): readonly Line[] => {
      const value = delivery[field];
      return value === undefined || value === '' ? [] : [[label, value]];
    });
    return [[`Item${number}`, describeGoods(delivery)], ...fields];
  });
}

function describeGoods({ product_name, brand_name, face_value, currency }: WireDelivery): string {
  const name = product_name ?? brand_name ?? 'unnamed product';
  // Names of fixed products mostly end in their face value.
  const value = [face_value, currency].filter((part) => part !== undefined).join(' ');
  return value === '' || name.endsWith(value) ? name : `${name}, ${value}`;
}

const OUTCOMES: Readonly<Record<OrderStatus, Code | undefined>> = {
  processing: 'DELIVERY_PENDING',
  completed: undefined,
  failed: 'ORDER_FAILED',
  expired: 'ORDER_EXPIRED',
};

/** Why an order's status is no success, as an error; undefined when it is one. */
export function outcomeError(order: WireOrderStatus): ScripError | undefined {
  const code = OUTCOMES[order.status];
  if (code === undefined) return undefined;
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  const because = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return new ScripError(code, `order ${order.order_id} is ${order.status}${because}`, {
    details: { order_id: order.order_id, status: order.status, reasons },
    ...(code === 'DELIVERY_PENDING' ? { hint: `Run: scrip track ${order.order_id}` } : {}),
  });
}
