/** What a purchase is about, read from the request that was journaled: the same goods twice are noticed. */
import { canonicalJson } from './canonical-json.ts';
import { currentAttempt, type Entry, eventOf, fruitlessEnd, type Intent } from './journal.ts';

/** One thing for one person. */
interface Good {
  readonly product: string;
  /** Chosen face value; empty where the product has one of its own. */
  readonly value: string;
  readonly beneficiary: string;
  readonly quantity: number;
}

/** Ours: so long the same goods count as one purchase. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;

/** Every address that goods, codes or a receipt may be sent to: beneficiaries, and the order's own e-mail. */
export function recipientsOf({
  body,
  summary,
}: Pick<Intent, 'body' | 'summary'>): readonly string[] {
  return [...new Set([...beneficiariesOf([body], summary), ...contactsOf(body)])];
}

/** In place of an address that is not told: the pattern `*` alone is met by it. */
const UNTOLD = '';

/**
 * The same for an order of the partner API: by the request on record, or else, of a guided purchase,
 * by what the merchant tells of the order.
 * @param told the order as it was told when it was made, and as it is told now
 */
export function orderRecipients(
  { body, summary }: Pick<Intent, 'body' | 'summary'>,
  told: readonly unknown[],
): readonly string[] {
  const contacts = orderContacts({ body }, told);
  const receipts = contacts.length === 0 ? [UNTOLD] : contacts;
  return [...new Set([...beneficiariesOf(bodiesOf(body, told), summary), ...receipts])];
}

/** The e-mail addresses alone that such an order has besides its beneficiaries. */
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

/** What an order was asked for with, in the words of a command line. */
export interface OrderedGoods {
  /** Of the product that was chosen; empty where it has one value alone. */
  readonly value: string;
  readonly to: string;
  readonly quantity: number;
  /** Empty where the request named none. */
  readonly email: string;
  /** Of the partner API. */
  readonly paymentVia: string;
}

/** Undefined where the request is not on record, or is for several goods. */
export function orderedGoods({ body }: Pick<Intent, 'body'>): OrderedGoods | undefined {
  const [first, ...others] = goodsOf(body);
  if (first === undefined) return undefined;
  const isSame = (other: Good) =>
    canonicalJson({ ...other, quantity: first.quantity }) === canonicalJson({ ...first });
  if (!others.every(isSame)) return undefined;
  const quantity = [first, ...others].reduce((sum, one) => sum + one.quantity, 0);
  const [email = ''] = contactsOf(body);
  const paymentVia = textOf(objectOf(objectOf(parse(body)).payment).payment_via);
  return { value: first.value, to: first.beneficiary, quantity, email, paymentVia };
}

/** Whom goods go to, and the country of the product. */
export interface OrderedLine {
  readonly beneficiary_account: string;
  readonly country_code: string;
}

/** The deliveries that an order of the partner API was asked for with; none of a guided purchase. */
export function orderedLines({ body }: Pick<Intent, 'body'>): readonly OrderedLine[] {
  return listOf(objectOf(parse(body)).deliveries).map((delivery) => {
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
  const request = objectOf(parse(body));
  return [request.email, objectOf(request.user).email].map(textOf).filter(Boolean);
}

/** A purchase that is about to be opened. */
export interface DuplicateQuery {
  /** Canonical JSON of the order request, and the host as the journal names it. */
  readonly body: string;
  readonly host: string;
  readonly nowMs: number;
  readonly summary: Intent['summary'];
}

/**
 * A purchase of the same goods from the same host that was begun, and not given up unpaid, within
 * ten minutes.
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

/** So lately that the same request means the same purchase. */
export function isMomentAgo({ createdAtMs }: Pick<Intent, 'createdAtMs'>, nowMs: number): boolean {
  return Math.abs(nowMs - createdAtMs) <= DUPLICATE_WINDOW_MS;
}

/** What two requests of one surface have in common when they are for the same goods. */
function sameGoods(body: string): string | undefined {
  const goods = goodsOf(body).map((one) =>
    canonicalJson({ ...one, beneficiary: written(one.beneficiary) }),
  );
  return goods.length === 0 ? undefined : goods.toSorted().join();
}

/** One good at the checkout host and in the partner API, which name products each in its own way. */
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
  return 'deliveries' in objectOf(parse(body));
}

/** Undefined where it does not say what the goods are. */
function goodsMark(summary: Intent['summary']): string | undefined {
  const { brandName, countryCode, faceValue, currency, beneficiary } = summary;
  // The partner API writes the currency into some values: "10 USD".
  const value = /^\d+(\.\d+)?/.exec(faceValue)?.[0];
  if (brandName === '' || value === undefined || beneficiary === '') return undefined;
  const words = [brandName, countryCode, currency].map((word) => word.toLowerCase());
  return canonicalJson([...words, Number(value), written(beneficiary)]);
}

/** Mail servers ignore the case of an e-mail address. */
function written(beneficiary: string): string {
  return beneficiary.includes('@') ? beneficiary.toLowerCase() : beneficiary;
}

/**
 * Paid, being paid, or still meant to be. Ours: an order of the partner API that is only made costs
 * nothing, and may be made in another coin.
 */
function isStanding(entry: Entry): boolean {
  if (fruitlessEnd(entry) !== undefined) return false;
  const goods = eventOf(entry, 'goods');
  if (goods !== undefined) return goods.status === 'completed';
  if (currentAttempt(entry) !== undefined) return true;
  return entry.intent.partner === undefined && eventOf(entry, 'closed') === undefined;
}

/** Items of the checkout host, deliveries of the partner API; in an order of their own. */
function goodsOf(body: string): readonly Good[] {
  const request = objectOf(parse(body));
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
