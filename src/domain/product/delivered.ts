/** Finds the redemption codes in a delivery, and notices when there is none. */
/** Delivery fields, of the checkout host or the partner API, that redeem the goods. */
const CODE_FIELDS = [
  'voucher_code',
  'pin_code',
  'pin_serial',
  'security_code',
  'url',
  'barcode_image_url',
  'qr_image_url',
] as const;

/** Names of unknown fields that describe the goods and redeem nothing. */
const DESCRIPTIVE =
  /(^|[_.-])(id|ids|at|on|date|time|state|status|type|kind|name|title|brand|product|category|family|quantity|count|amount|price|currency|coin|country|language|lang|locale|email|phone|logo|color|sku|version|mode|description|note|message)$/i;

export function isCodeField(name: string): boolean {
  return CODE_FIELDS.some((known) => known === name);
}

/** Whether a field that the interface does not define may hold a code. */
function mayBeCode(name: string): boolean {
  return !DESCRIPTIVE.test(name);
}

/** A delivery of the checkout host, or a deliverable of the partner API. */
interface DeliveredItem {
  readonly other_fields?: unknown;
}

/** Returns the values that may redeem the goods; those of unknown fields come last. */
export function codesIn(goods: DeliveredItem): readonly string[] {
  const fields: Readonly<Record<string, unknown>> = { ...goods };
  const known = CODE_FIELDS.map((name) => fields[name]);
  const others = Object.entries(Object(goods.other_fields)).filter(([name]) => mayBeCode(name));
  return [...known, ...others.map(([, value]) => value)].filter(
    (code): code is string => typeof code === 'string' && code !== '',
  );
}

interface Handed extends DeliveredItem {
  readonly delivery_type?: string | undefined;
  readonly beneficiary_account?: string | undefined;
  readonly failure_reason?: string | null | undefined;
}

/**
 * Whether delivered goods have nothing that redeems them.
 * @param recipient whom they were ordered for, if known
 */
export function lacksCode(goods: Handed, recipient = ''): boolean {
  if (codesIn(goods).length > 0 || goods.failure_reason) return false;
  // Sent by e-mail or SMS, or booked on a phone number: no code to show.
  if (/mail|sms/i.test(goods.delivery_type ?? '')) return false;
  return !/^\+?\d+$/.test(goods.beneficiary_account || recipient);
}

interface CheckoutGoods extends Handed {
  readonly delivery_state?: string | undefined;
}

/**
 * Whether any delivered item of a checkout order lacks its code.
 * @param recipients whom the items were ordered for, if known
 */
export function isCodeless(
  deliveries: readonly CheckoutGoods[] = [],
  recipients: readonly string[] = [],
): boolean {
  const [only, ...others] = recipients;
  return deliveries.some(
    (one) =>
      (one.delivery_state ?? 'completed') === 'completed' &&
      lacksCode(one, others.length === 0 ? only : undefined),
  );
}
