/** Delivered items as labelled lines, one value per line. */

import type { WireDelivery } from '../../contract/checkout.ts';
import { type Message, type Said, t } from '../../domain/message.ts';
import { goodsName } from '../../domain/product.ts';
import type { Line } from '../output/view.ts';

const FIELDS: readonly (readonly [
  field: Exclude<keyof WireDelivery, 'other_fields'>,
  label: Message,
])[] = [
  ['delivery_state', t`Delivery`],
  ['beneficiary_account', t`For`],
  ['voucher_code', t`Code`],
  ['pin_serial', t`Serial`],
  ['security_code', t`Security code`],
  ['url', t`Redeem at`],
  ['redeem_instructions', t`How to redeem`],
  ['failure_reason', t`Failed because`],
];

export function deliveryLines(deliveries: readonly WireDelivery[]): readonly Line[] {
  return deliveries.flatMap((delivery, index) => {
    const number = deliveries.length > 1 ? ` ${index + 1}` : '';
    return [[t`Item${number}`, describeGoods(delivery)], ...fieldLines(delivery)];
  });
}

/**
 * The same for a terminal, one group per item. Leaves out what the receipt above already shows.
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
    ([label, value]) => String(label) !== 'Delivery' || value !== said.status,
  );
  const name = describeGoods(only);
  return [name === said.title ? lines : [[t`Item`, name], ...lines]];
}

function numbered(index: number): (line: Line) => Line {
  return ([label, value]) => [String(label) === 'Item' ? t`Item ${index + 1}` : label, value];
}

function fieldLines(delivery: WireDelivery): readonly Line[] {
  const known = FIELDS.flatMap(([field, label]): readonly Line[] => {
    const value = delivery[field];
    return value === undefined || value === '' ? [] : [[label, value]];
  });
  return [...known, ...otherLines(delivery)];
}

/** Fields under the merchant's own names. */
export function otherLines({ other_fields = {} }: Pick<WireDelivery, 'other_fields'>): Line[] {
  return Object.entries(other_fields).map(([name, value]) => [t`Field ${name}`, value]);
}

/** The name of a single item; undefined for none or several. */
export function onlyGoods(deliveries: readonly WireDelivery[]): Said | undefined {
  const [only, ...others] = deliveries;
  return only === undefined || others.length > 0 ? undefined : describeGoods(only);
}

/** The name of a mobile data plan says what it contains; its face value is just another price. */
const PLAN = /\d\s?[GM]B\b/i;

export function describeGoods(delivery: WireDelivery): Said {
  const { product_name, brand_name, face_value = '', currency = '' } = delivery;
  const called = product_name ?? brand_name;
  if (called === undefined) return unnamed(`${face_value} ${currency}`.trim());
  const name = goodsName({ name: called, faceValue: face_value, currency });
  if (name !== called) return name;
  // Names of fixed products mostly end in their face value.
  const value = `${face_value} ${currency}`.trim();
  return value === '' || name.endsWith(value) || PLAN.test(name) ? name : `${name} ${value}`;
}

function unnamed(value: string): Message {
  return value === '' ? t`unnamed product` : t`${t`unnamed product`}, ${value}`;
}
