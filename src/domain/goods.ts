/** What a purchase is about, read from the request that was journaled: the same goods twice are noticed. */
import { canonicalJson } from './canonical-json.ts';
import { currentAttempt, type Entry, factOf, fruitlessEnd, type Intent } from './journal.ts';

/** One thing for one person. */
interface Good {
  readonly product: string;
  /** Chosen face value; empty where the product has one of its own. */
  readonly value: string;
  readonly beneficiary: string;
  readonly quantity: number;
}

/** Ours: so long the same goods count as the same wish (reliability 2.5, C20). */
const SAME_WISH_MS = 10 * 60 * 1_000;

/** Every address that goods, codes or a receipt may be sent to: beneficiaries, and the order's own e-mail. */
export function recipientsOf(intent: Pick<Intent, 'body' | 'summary'>): readonly string[] {
  const request = objectOf(parse(intent.body));
  const contacts = [request.email, objectOf(request.user).email].map(textOf).filter(Boolean);
  const named = goodsOf(intent.body).map(({ beneficiary }) => beneficiary);
  const beneficiaries = named.length === 0 ? [intent.summary.beneficiary] : named;
  return [...new Set([...beneficiaries, ...contacts])];
}

/** A wish that is about to become a purchase. */
export interface Wish {
  /** Canonical JSON of the order request, and the host as the journal names it. */
  readonly body: string;
  readonly host: string;
  readonly nowMs: number;
}

/**
 * A purchase of the same goods from the same host that was begun, and not given up unpaid, within
 * ten minutes.
 */
export function findDuplicate(entries: readonly Entry[], wish: Wish): Entry | undefined {
  const goods = goodsOf(wish.body);
  if (goods.length === 0) return undefined;
  const wanted = canonicalJson(goods);
  return entries.findLast(
    (entry) =>
      entry.intent.host === wish.host &&
      Math.abs(wish.nowMs - entry.intent.createdAtMs) <= SAME_WISH_MS &&
      isStanding(entry) &&
      canonicalJson(goodsOf(entry.intent.body)) === wanted,
  );
}

/**
 * Paid, being paid, or still meant to be. Ours: an order of the partner API that is only made costs
 * nothing, and may be made in another coin.
 */
function isStanding(entry: Entry): boolean {
  if (fruitlessEnd(entry) !== undefined) return false;
  const goods = factOf(entry, 'goods');
  if (goods !== undefined) return goods.status === 'completed';
  if (currentAttempt(entry) !== undefined) return true;
  return entry.intent.partner === undefined && factOf(entry, 'closed') === undefined;
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
  const deliverable = 'deliverable' in delivery ? objectOf(delivery.deliverable) : delivery;
  const { brand_name, denomination, country_code } = deliverable;
  const product = [brand_name, denomination, country_code].map(textOf).join(' / ');
  const quantity = typeof delivery.quantity === 'number' ? delivery.quantity : 1;
  return good(deliverable, product, quantity);
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
