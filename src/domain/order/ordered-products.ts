/** Reads which goods a purchase is for from the journaled request, to notice duplicates. */

import { parseJson } from '../attempt.ts';
import { canonicalJson } from '../canonical-json.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  fruitlessEnd,
  type Intent,
} from '../journal/journal.ts';

/** One product for one recipient. */
interface Good {
  readonly product: string;
  /** Chosen face value; empty when the product has a fixed one. */
  readonly value: string;
  readonly beneficiary: string;
  readonly quantity: number;
}

/** Ours: within this time, the same goods count as one purchase. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;

/**
 * Returns every address that may receive goods, codes or a receipt: beneficiaries, and the order's e-mail.
 */
export function recipientsOf({
  body,
  summary,
}: Pick<Intent, 'body' | 'summary'>): readonly string[] {
  return [...new Set([...beneficiariesOf([body], summary), ...contactsOf(body)])];
}

/** Stands for an unknown e-mail address; only the policy pattern `*` matches it. */
const UNTOLD = '';

/**
 * Returns every such address of a partner API order: from the journaled request, or, after a guided purchase,
 * from what the merchant reports about the order.
 * @param told the order as the merchant reported it at creation, and now
 */
export function orderRecipients(
  { body, summary }: Pick<Intent, 'body' | 'summary'>,
  told: readonly unknown[],
): readonly string[] {
  const contacts = orderContacts({ body }, told);
  const receipts = contacts.length === 0 ? [UNTOLD] : contacts;
  return [...new Set([...beneficiariesOf(bodiesOf(body, told), summary), ...receipts])];
}

/** Returns only the e-mail addresses of the order itself, without its beneficiaries. */
export function orderContacts(
  { body }: Pick<Intent, 'body'>,
  told: readonly unknown[],
): readonly string[] {
  return [...new Set(bodiesOf(body, told).flatMap(contactsOf))];
}

function bodiesOf(body: string, told: readonly unknown[]): readonly string[] {
  const isRecorded = goodsOf(body).length > 0;
  return isRecorded ? [body] : told.map((order) => JSON.stringify(order) ?? '');
}

/** What an order was requested with, as command-line options have it. */
export interface OrderedGoods {
  /** Chosen face value; empty when the product has a fixed one. */
  readonly value: string;
  readonly to: string;
  readonly quantity: number;
  /** Empty when the request has none. */
  readonly email: string;
  /** Only for the partner API. */
  readonly paymentVia: string;
}

/** Returns undefined when the journal has no request, or one for several different goods. */
export function orderedGoods({ body }: Pick<Intent, 'body'>): OrderedGoods | undefined {
  const [first, ...others] = goodsOf(body);
  if (first === undefined) return undefined;
  const isSame = (other: Good) =>
    canonicalJson({ ...other, quantity: first.quantity }) === canonicalJson({ ...first });
  if (!others.every(isSame)) return undefined;
  const quantity = [first, ...others].reduce((sum, one) => sum + one.quantity, 0);
  const [email = ''] = contactsOf(body);
  const paymentVia = textOf(objectOf(objectOf(parseJson(body)).payment).payment_via);
  return { value: first.value, to: first.beneficiary, quantity, email, paymentVia };
}

/** Who receives a product, and the product's country. */
export interface OrderedLine {
  readonly beneficiary_account: string;
  readonly country_code: string;
}

/** Returns the deliveries of a partner API request; none for a guided purchase. */
export function orderedLines({ body }: Pick<Intent, 'body'>): readonly OrderedLine[] {
  return listOf(objectOf(parseJson(body)).deliveries).map((delivery) => {
    const { beneficiary_account, country_code } = deliverableOf(delivery);
    return {
      beneficiary_account: textOf(beneficiary_account),
      country_code: textOf(country_code),
    };
  });
}

function beneficiariesOf(
  bodies: readonly string[],
  { beneficiary }: Intent['summary'],
): readonly string[] {
  const named = bodies.flatMap(goodsOf).map((one) => one.beneficiary);
  return named.length === 0 ? [beneficiary] : named;
}

function contactsOf(body: string): readonly string[] {
  const request = objectOf(parseJson(body));
  return [request.email, objectOf(request.user).email].map(textOf).filter(Boolean);
}

/** A purchase about to be opened. */
export interface DuplicateQuery {
  /** Canonical JSON of the order request. */
  readonly body: string;
  readonly host: string;
  readonly nowMs: number;
  readonly summary: Intent['summary'];
}

/**
 * Finds a purchase of the same goods from the same host that was begun within ten minutes, and did not end
 * unpaid.
 */
export function findDuplicate(entries: readonly Entry[], query: DuplicateQuery): Entry | undefined {
  const wanted = sameGoods(query.body);
  if (wanted === undefined) return undefined;
  return entries.findLast(
    (entry) =>
      entry.intent.host === query.host &&
      isMomentAgo(entry.intent, query.nowMs) &&
      isStanding(entry) &&
      (sameGoods(entry.intent.body) === wanted || isSameElsewhere(entry.intent, query)),
  );
}

/** Whether it is so recent that the same request means the same purchase. */
export function isMomentAgo({ createdAtMs }: Pick<Intent, 'createdAtMs'>, nowMs: number): boolean {
  return Math.abs(nowMs - createdAtMs) <= DUPLICATE_WINDOW_MS;
}

/** Returns a text that is equal for two requests to the same API when they are for the same goods. */
function sameGoods(body: string): string | undefined {
  const goods = goodsOf(body).map((one) =>
    canonicalJson({ ...one, beneficiary: written(one.beneficiary) }),
  );
  return goods.length === 0 ? undefined : goods.toSorted().join();
}

/**
 * Whether a checkout host order and a partner API order are for the same single product. Both APIs name
 * products differently, so this compares brand, country, value and recipient.
 */
function isSameElsewhere(
  { body, summary }: Pick<Intent, 'body' | 'summary'>,
  query: Pick<DuplicateQuery, 'body' | 'summary'>,
): boolean {
  const isOne = [body, query.body].every((text) => {
    const [one, ...more] = goodsOf(text);
    return one?.quantity === 1 && more.length === 0;
  });
  if (!isOne || isOfPartnerApi(body) === isOfPartnerApi(query.body)) return false;
  const name = goodsMark(summary);
  return name !== undefined && name === goodsMark(query.summary);
}

function isOfPartnerApi(body: string): boolean {
  return 'deliveries' in objectOf(parseJson(body));
}

/** Returns undefined when the summary does not identify the goods. */
function goodsMark(summary: Intent['summary']): string | undefined {
  const { brandName, countryCode, faceValue, currency, beneficiary } = summary;
  // The partner API writes the currency into some values: "10 USD".
  const value = /^\d+(\.\d+)?/.exec(faceValue)?.[0];
  if (brandName === '' || value === undefined || beneficiary === '') return undefined;
  const words = [brandName, countryCode, currency].map((word) => word.toLowerCase());
  return canonicalJson([...words, Number(value), written(beneficiary)]);
}

/** Lowercases e-mail addresses: mail servers ignore their case. */
function written(beneficiary: string): string {
  return beneficiary.includes('@') ? beneficiary.toLowerCase() : beneficiary;
}

/**
 * Whether the purchase is paid, being paid, or still intended. Ours: an unpaid order of the partner API does
 * not count, because it costs nothing and may be replaced by one in another coin.
 */
function isStanding(entry: Entry): boolean {
  if (fruitlessEnd(entry) !== undefined) return false;
  const goods = eventOf(entry, 'goods');
  if (goods !== undefined) return goods.status === 'completed';
  if (currentAttempt(entry) !== undefined) return true;
  return entry.intent.partner === undefined && eventOf(entry, 'closed') === undefined;
}

/** Returns the items of the checkout host or the deliveries of the partner API, in a canonical order. */
function goodsOf(body: string): readonly Good[] {
  const request = objectOf(parseJson(body));
  const goods = [
    ...listOf(request.items).map(goodOfItem),
    ...listOf(request.deliveries).map(goodOfDelivery),
  ];
  return goods.toSorted((one, other) => (canonicalJson(one) < canonicalJson(other) ? -1 : 1));
}

type Fields = Readonly<Record<string, unknown>>;

function goodOfItem(value: unknown): Good {
  const item = objectOf(value);
  return good(item, textOf(item.product_id), 1);
}

function goodOfDelivery(value: unknown): Good {
  const delivery = objectOf(value);
  const deliverable = deliverableOf(value);
  const { brand_name, denomination, country_code } = deliverable;
  const product = [brand_name, denomination, country_code].map(textOf).join(' / ');
  const quantity = typeof delivery.quantity === 'number' ? delivery.quantity : 1;
  return good(deliverable, product, quantity);
}

function deliverableOf(value: unknown): Fields {
  const delivery = objectOf(value);
  return 'deliverable' in delivery ? objectOf(delivery.deliverable) : delivery;
}

function good(fields: Fields, product: string, quantity: number): Good {
  return {
    product,
    value: textOf(fields.product_value),
    beneficiary: textOf(fields.beneficiary_account),
    quantity,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
