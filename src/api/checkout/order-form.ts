/**
 * Converts orders as merchants send them to the interface's form: keeps goods in unknown fields, and fills in
 * what the caller already knows. Changes nothing that payments depend on.
 */
import {
  DELIVERY_STATES,
  DELIVERY_TYPES,
  delivery,
  ORDER_STATUSES,
  orderReceipt,
  orderStatus,
  type WireOrderReceipt,
  type WireOrderStatus,
} from '../../contract/checkout.ts';
import { ORDER_STATES, PAYMENT_STATES } from '../../contract/codes.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  deliveredGoods,
  partnerOrder,
  type WirePartnerOrder,
} from '../../contract/partner-orders.ts';
import { codesIn } from '../../domain/product/delivered.ts';
import { otherFieldsOf, parseExactly, type Reading, readTolerantly } from '../http/tolerant.ts';

type Fields = Readonly<Record<string, unknown>>;
/** @param orderId of the request */
type Form = (json: unknown, orderId?: string) => unknown;

/** Conversions of order responses, by their schema. */
export const ORDER_FORMS: ReadonlyMap<unknown, Form> = new Map<unknown, Form>([
  [orderStatus, checkoutForm],
  [orderReceipt, receiptForm],
  [partnerOrder, partnerForm],
]);

export function readOrderStatus(text: string): Reading<WireOrderStatus> {
  return readTolerantly(orderStatus(), checkoutForm(parseExactly(text)));
}

export function readOrderReceipt(text: string): Reading<WireOrderReceipt> {
  return readTolerantly(orderReceipt(), receiptForm(parseExactly(text)));
}

export function readPartnerOrder(text: string, orderId?: string): Reading<WirePartnerOrder> {
  return readTolerantly(partnerOrder(), partnerForm(parseExactly(text), orderId));
}

function checkoutForm(json: unknown, orderId?: string): unknown {
  if (!isObject(json)) return json;
  const deliveries = listOf(json.deliveries)?.map(checkoutDelivery);
  return {
    ...json,
    order_id: json.order_id ?? orderId,
    status: checkoutStatus(json.status, deliveries),
    deliveries,
  };
}

function receiptForm(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { poll_url: address } = json;
  // The poll address also contains the order id. It may be relative, and it may be missing.
  const named =
    typeof address === 'string' ? /\/orders\/([\w.~-]+)$/.exec(address)?.[1] : undefined;
  // A host that answers a payment with 200 has accepted the order.
  const order = { poll_url: '', status: 'processing', ...json };
  return checkoutForm(order, named);
}

/** Returns the known status; for an unknown word, the goods may show that the order has ended. */
function checkoutStatus(said: unknown, deliveries: readonly unknown[] | undefined): unknown {
  const known = wordOf(said, ORDER_STATUSES);
  if (known !== undefined) return known;
  // Neither status nor deliveries: not an order.
  if (deliveries === undefined) return typeof said === 'string' ? 'processing' : undefined;
  const states = new Set(deliveries.map((one) => (isObject(one) ? stateOf(one) : undefined)));
  const [only] = states;
  return states.size === 1 && (only === 'completed' || only === 'failed') ? only : 'processing';
}

/**
 * Returns the delivery state. An item with a code counts as delivered, even if its state has another name.
 */
function stateOf(goods: Fields): unknown {
  const known = wordOf(goods.delivery_state, DELIVERY_STATES);
  return known ?? (codesIn(goods).length > 0 ? 'completed' : undefined);
}

function checkoutDelivery(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { delivery_state, delivery_type } = json;
  return withOthers(delivery().shape, {
    ...json,
    delivery_state: wordOf(delivery_state, DELIVERY_STATES) ?? delivery_state,
    delivery_type: wordOf(delivery_type, DELIVERY_TYPES) ?? delivery_type,
  });
}

/** Stands for a missing state; no order is paid in it. */
const UNSAID = 'Unknown';

function partnerForm(json: unknown, orderId?: string): unknown {
  if (!isObject(json)) return json;
  const { created_at, payment_requested_at, is_payment_processor_external } = json;
  const deliveries = listOf(json.deliveries)?.map(partnerDelivery);
  return {
    ...json,
    order_id: json.order_id ?? orderId,
    ...statesOf(json, deliveries ?? []),
    created_at: secondsOf(created_at) ?? 0,
    payment_requested_at: secondsOf(payment_requested_at),
    is_payment_processor_external: is_payment_processor_external ?? false,
    deliveries,
  };
}

function statesOf(
  { order_state: order, payment_state: payment }: Fields,
  deliveries: readonly { readonly deliverable: Fields }[],
): Fields {
  const isDelivered =
    deliveries.length > 0 && deliveries.every(({ deliverable }) => codesIn(deliverable).length > 0);
  // No state and no goods: not an order.
  const unsaid = order === undefined && payment === undefined && !isDelivered ? undefined : UNSAID;
  const unknown = isDelivered ? 'Done' : (order ?? unsaid);
  return {
    order_state: wordOf(order, Object.keys(ORDER_STATES)) ?? unknown,
    payment_state: wordOf(payment, Object.keys(PAYMENT_STATES)) ?? payment ?? unsaid,
  };
}

function partnerDelivery(json: unknown, index: number) {
  const { id, delivery_state, kind, sandbox_mode, deliverable, ...others } = fieldsOf(json);
  return {
    id: id ?? String(index + 1),
    delivery_state: delivery_state ?? UNSAID,
    kind: kind ?? '',
    sandbox_mode,
    deliverable: {
      denomination: '',
      brand_name: '',
      beneficiary_account: '',
      country_code: '',
      // Some merchants omit the wrapper.
      ...withOthers(deliveredGoods().shape, { ...others, ...fieldsOf(deliverable) }),
    },
  };
}

type Shape = Readonly<Record<string, ReturnType<Endpoint['output']>>>;

/**
 * Keeps the delivery fields that its schema accepts; texts and numbers of all others go to `other_fields`.
 */
function withOthers(shape: Shape, { other_fields: before, ...fields }: Fields): Fields {
  const kept: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const form = typeof value === 'number' ? String(value) : value;
    const fitting = [value, form].find((one) => schema?.safeParse(one).success === true);
    if (fitting === undefined) others[name] = value;
    else kept[name] = fitting;
  }
  const other_fields = otherFieldsOf({ ...others, ...fieldsOf(before) });
  return { ...kept, ...(Object.keys(other_fields).length === 0 ? {} : { other_fields }) };
}

/** Returns the known word that is meant, ignoring case and punctuation; undefined if there is none. */
function wordOf(said: unknown, known: readonly string[]): string | undefined {
  if (typeof said !== 'string') return undefined;
  return known.find((word) => bare(word) === bare(said));
}

function bare(word: string): string {
  return word.toLowerCase().replace(/[^a-z]/g, '');
}

/** Timestamps from here on are milliseconds: no order has that many seconds. */
const FIRST_MILLISECOND = 100_000_000_000;

/** Converts a time in seconds, milliseconds or text to Unix seconds. */
function secondsOf(time: unknown): number | undefined {
  const isNumber = typeof time === 'number' || (typeof time === 'string' && /^\d+$/.test(time));
  const count = isNumber ? Number(time) : typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(count)) return undefined;
  return Math.floor(isNumber && count < FIRST_MILLISECOND ? count : count / 1_000);
}

/** Returns a list; a single object becomes a list of one. */
function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return isObject(value) ? [value] : undefined;
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
