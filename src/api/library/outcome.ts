/**
 * Converts the end of an order to the library's `Outcome`: a value, not an error, once money may have moved.
 */

import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerDelivery } from '../../contract/partner-orders.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  type Intent,
  merchantOrderId,
} from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { formatDecimal } from '../../domain/money/money.ts';
import type { PurchaseStatus } from '../../domain/order/order-states.ts';
import { codesIn } from '../../domain/product/delivered.ts';
import type { Bought, BoughtDocument, Merchant } from '../merchant.ts';
import { type Refund as ProvenRefund, provenRefunds } from '../proven-refunds.ts';
import { receiptFrom } from '../receipt.ts';
import type { ScripDeps } from '../scrip.ts';
import type { Delivery, Goods, OrderRecord, Outcome, Payment, Refund } from './public.ts';

const STATUS: Readonly<Record<PurchaseStatus, OrderRecord['status']>> = {
  completed: 'delivered',
  processing: 'pending',
  unknown: 'unknown',
  attention: 'failed',
  failed: 'failed',
  canceled: 'failed',
  expired: 'failed',
  refunded: 'failed',
  unpaid: 'unpaid',
};

/** Returns the journal's record of an order, without codes. */
export function recordOf(entry: Entry): OrderRecord {
  const { intent } = entry;
  const { status, payment, ...names } = receiptFrom(entry);
  const { productId, productName, brandName, countryCode, faceValue, currency } = intent.summary;
  return {
    idempotencyKey: intent.key,
    // The merchant's id, because `track` requests the order by it.
    orderId: names.merchantOrderId ?? names.orderId,
    merchant: intent.host,
    createdAt: new Date(intent.createdAtMs).toISOString(),
    status: STATUS[status],
    productId,
    productName,
    brand: brandName,
    country: countryCode,
    value: bareValue(faceValue, currency),
    currency,
    to: intent.summary.beneficiary,
    note: intent.note,
    payment: paymentOf(intent, payment),
  };
}

function paymentOf(
  intent: Intent,
  payment: ReturnType<typeof receiptFrom>['payment'],
): Payment | null {
  if (payment === null) return null;
  const { amountAtomic, asset, payer, payTo, transaction, isFinalized } = payment;
  const decimals = intent.partner?.decimals ?? USDC_DECIMALS;
  const amount = formatDecimal(amountAtomic, decimals, Math.min(2, decimals));
  return { amount, asset, payer, payTo, transaction, isFinal: isFinalized };
}

/**
 * Converts the end of a run.
 * @param entry the purchase's current journal entry
 * @throws {ScripError} `end.error` when nothing was charged
 */
export function outcomeOf(entry: Entry, end: End): Outcome {
  const { deliveries, error } = end;
  const status = STATUS[end.status];
  const { idempotencyKey, orderId, payment } = recordOf(entry);
  const facts = { idempotencyKey, orderId, payment };
  const code = error?.code ?? 'DELIVERY_PENDING';
  const reason = String(error?.sentence ?? t`accepted, not delivered yet`);
  switch (status) {
    case 'delivered':
      return { ...facts, status, deliveries };
    case 'failed':
      return { ...facts, status, code, reason, deliveries, refunds: [] };
    case 'pending':
    case 'unknown':
      return { ...facts, status, code, reason };
    case 'unpaid':
      throw error ?? new ScripError('INTERNAL', verbatim('an unpaid order ended without a reason'));
  }
}

export interface End {
  readonly status: PurchaseStatus;
  readonly deliveries: readonly Delivery[];
  /** The error to report; undefined on plain success. */
  readonly error: ScripError | undefined;
}

type Finder = Pick<ScripDeps, 'signer' | 'journal' | 'vault'>;

/**
 * Converts a completed `order` call.
 * @param key the caller's idempotency key, if any
 */
export async function outcomeOfBought(
  deps: Finder,
  {
    key,
    bought: { document, error },
  }: { readonly key: string | undefined; readonly bought: Bought },
): Promise<Outcome> {
  const isReceipt = document.form === 'receipt';
  const entry = await findEntry(deps, {
    key: isReceipt ? document.receipt.intent.key : key,
    orderId: isReceipt ? undefined : document.order.order_id,
  });
  if (entry === undefined) {
    throw new ScripError('JOURNAL_UNUSABLE', t`The order is not in the journal it was made with`, {
      fundsAtRisk: 'possible',
    });
  }
  const status = isReceipt ? document.receipt.status : receiptFrom(entry).status;
  return outcomeOf(entry, { status, deliveries: deliveriesIn(document), error });
}

/**
 * Converts a failure after which a payment may have been made.
 * @throws the failure itself, when no signed payment can still land
 */
export async function afterFailure(
  deps: Finder,
  { key, error }: { readonly key: string | undefined; readonly error: unknown },
): Promise<Outcome> {
  if (!(error instanceof ScripError)) throw error;
  if (error.code !== 'INTERRUPTED' && error.fundsAtRisk === 'none') throw error;
  const { intent_id: intentId, order_id: orderId } = error.details;
  const entry = await findEntry(deps, { key, intentId, orderId });
  if (entry === undefined || currentAttempt(entry) === undefined) throw error;
  if (eventOf(entry, 'goods')?.sealed === '') throw error;
  const deliveries = await goodsOf(deps, entry);
  return outcomeOf(entry, { status: receiptFrom(entry).status, deliveries, error });
}

/** Returns the goods in the journal of a checkout host order. */
export async function goodsOf(deps: Finder, entry: Entry): Promise<readonly Delivery[]> {
  const sealed = eventOf(entry, 'goods')?.sealed;
  if (sealed === undefined || sealed === '' || entry.intent.partner !== undefined) return [];
  const { readOrder } = await import('../checkout/pay.ts');
  const vault = await deps.vault(await deps.signer());
  return deliveriesIn({ form: 'checkout', order: readOrder(vault.open(sealed)) });
}

/** Finds the entry by any of its ids. */
async function findEntry(
  deps: Finder,
  named: {
    readonly key: string | undefined;
    readonly intentId?: unknown;
    readonly orderId: unknown;
  },
): Promise<Entry | undefined> {
  const journal = await deps.journal(await deps.signer());
  if (named.key !== undefined) return journal.byKey(named.key);
  return (await journal.all()).find(
    (entry) =>
      entry.intent.intentId === named.intentId ||
      (named.orderId !== undefined && merchantOrderId(entry) === named.orderId),
  );
}

type Deps = Pick<ScripDeps, 'rail' | 'signer' | 'place'>;

/** Reads and proves an order's refunds; empty if there are none, or they could not be read. */
export async function refundsFor(
  deps: Deps,
  merchant: Pick<Merchant, 'refunds'>,
  orderId: string,
): Promise<readonly Refund[]> {
  return (await provenRefunds(deps, merchant, orderId)).map(asRefund);
}

/** What failed after a payment has its refunds. */
export async function withRefunds(
  deps: Deps,
  merchant: Pick<Merchant, 'refunds'>,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.status !== 'failed' || outcome.orderId === null) return outcome;
  return { ...outcome, refunds: await refundsFor(deps, merchant, outcome.orderId) };
}

function asRefund({
  waits_for: waitsFor,
  to_own_wallet: toOwnWallet,
  ...refund
}: ProvenRefund): Refund {
  const { amount, coin, state, recipient, transaction, proof } = refund;
  return { amount, coin, state, waitsFor, recipient, transaction, proof, toOwnWallet };
}

/** What only a function holds, neither `inspect` nor JSON shows. */
function handed(shown: Omit<Delivery, 'reveal'>, goods: Goods): Delivery {
  return { ...shown, reveal: () => goods };
}

export function deliveriesIn(document: BoughtDocument): readonly Delivery[] {
  switch (document.form) {
    case 'receipt':
      return document.receipt.deliveries.map(ofCheckout);
    case 'checkout':
      return (document.order.deliveries ?? []).map(ofCheckout);
    case 'partner':
      return (document.order.deliveries ?? []).map(ofPartner);
  }
}

function ofCheckout(delivery: WireDelivery): Delivery {
  const { product_name, brand_name, face_value, currency } = delivery;
  const name = product_name ?? brand_name;
  const hasCode = codesIn(delivery).length > 0;
  return handed(
    { name, brand: brand_name, value: face_value, currency, hasCode },
    {
      code: delivery.voucher_code,
      serial: delivery.pin_serial,
      securityCode: delivery.security_code,
      url: delivery.url,
      barcodeUrl: delivery.barcode_image_url,
      qrUrl: delivery.qr_image_url,
      instructions: delivery.redeem_instructions,
      terms: delivery.terms_and_conditions,
      others: delivery.other_fields ?? {},
    },
  );
}

function ofPartner({ deliverable }: WirePartnerDelivery): Delivery {
  const { pin_code: pin, brand_name: brand, product_value, denomination } = deliverable;
  const currency = deliverable.currency_code ?? undefined;
  const value = product_value?.toString() ?? denomination;
  const bare = value === 'range' ? undefined : bareValue(value, currency ?? '');
  const isAddress = pin?.startsWith('http') ?? false;
  const hasCode = codesIn(deliverable).length > 0;
  return handed(
    { name: brand, brand, value: bare, currency, hasCode },
    {
      code: isAddress ? undefined : pin,
      serial: deliverable.pin_serial ?? undefined,
      securityCode: deliverable.security_code ?? undefined,
      url: isAddress ? pin : undefined,
      barcodeUrl: deliverable.barcode_image_url ?? undefined,
      qrUrl: deliverable.qr_image_url ?? undefined,
      instructions: deliverable.redeem_instructions ?? undefined,
      terms: deliverable.terms_and_conditions ?? undefined,
      others: deliverable.other_fields ?? {},
    },
  );
}

/** Returns a face value without its currency, which some merchants append. */
export function bareValue(value: string, currency: string): string {
  return currency !== '' && value.endsWith(` ${currency}`)
    ? value.slice(0, -currency.length - 1)
    : value;
}
