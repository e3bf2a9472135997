/** What was delivered, as labelled lines: codes first, one value on a line. */

import type { OrderStatus, WireDelivery, WireOrderStatus } from '../../contract/checkout.ts';
import { commandText } from '../../domain/command-text.ts';
import { isCodeless } from '../../domain/delivered.ts';
import { type Code, ScripError } from '../../domain/errors.ts';
import { goodsName } from '../../domain/product.ts';
import type { Line } from '../output/view.ts';

const FIELDS: readonly (readonly [
  field: Exclude<keyof WireDelivery, 'other_fields'>,
  label: string,
])[] = [
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
    return [[`Item${number}`, describeGoods(delivery)], ...fieldLines(delivery)];
  });
}

/**
 * The same for the eye, a group for each: what the receipt says above is not said again.
 * @param said title and status of the receipt
 */
export function deliveryGroups(
  deliveries: readonly WireDelivery[],
  said: { readonly title: string; readonly status: string },
): readonly (readonly Line[])[] {
  const [only, ...others] = deliveries;
  if (only === undefined || others.length > 0) {
    return deliveries.map((one, index) => deliveryLines([one]).map(numbered(index)));
  }
  const lines = fieldLines(only).filter(
    ([label, value]) => label !== 'State' || value !== said.status,
  );
  const name = describeGoods(only);
  return [name === said.title ? lines : [['Item', name], ...lines]];
}

function numbered(index: number): (line: Line) => Line {
  return ([label, value]) => [label === 'Item' ? `Item ${index + 1}` : label, value];
}

function fieldLines(delivery: WireDelivery): readonly Line[] {
  const known = FIELDS.flatMap(([field, label]): readonly Line[] => {
    const value = delivery[field];
    return value === undefined || value === '' ? [] : [[label, value]];
  });
  return [...known, ...otherLines(delivery)];
}

/** What the merchant calls by names of its own. */
export function otherLines({ other_fields = {} }: Pick<WireDelivery, 'other_fields'>): Line[] {
  return Object.entries(other_fields).map(([name, value]) => [`Field ${name}`, value]);
}

/** What the only one of them is called; undefined where there are none or several. */
export function onlyGoods(deliveries: readonly WireDelivery[]): string | undefined {
  const [only, ...others] = deliveries;
  return only === undefined || others.length > 0 ? undefined : describeGoods(only);
}

function describeGoods(delivery: WireDelivery): string {
  const { product_name, brand_name, face_value = '', currency = '' } = delivery;
  const called = product_name ?? brand_name ?? 'unnamed product';
  const name = goodsName({ name: called, faceValue: face_value, currency });
  if (name !== called) return name;
  // Names of fixed products mostly end in their face value.
  const value = `${face_value} ${currency}`.trim();
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
  if (code === undefined)
    return isCodeless(order.deliveries) ? codesMissing(order.order_id) : undefined;
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  const because = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return new ScripError(code, `order ${order.order_id} is ${order.status}${because}`, {
    details: { order_id: order.order_id, status: order.status, reasons },
    ...(code === 'DELIVERY_PENDING'
      ? { hint: commandText`Run: scrip track ${order.order_id}` }
      : {}),
  });
}

/** Said to be delivered, with nothing that redeems it. */
export function codesMissing(orderId: string): ScripError {
  return new ScripError(
    'CODES_MISSING',
    `order ${orderId} is completed, and the reply holds no code`,
    {
      hint: commandText`Do not pay again. Look whether the goods came by mail or message; otherwise ask the merchant with the order id. To look again: scrip track ${orderId}`,
      details: { order_id: orderId },
    },
  );
}
