/** Shows a purchase: its receipt for the user, its record for scripts. */

import type { CalledOrder } from '../../api/merchant.ts';
import type { PaymentSummary } from '../../api/payment/outcome.ts';
import type { Receipt } from '../../api/receipt.ts';
import type { Intent, OrderNames } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { hostKey, isEmbeddedMerchant } from '../../domain/policy/policy.ts';
import { goodsName, inCart } from '../../domain/product/product.ts';
import { formatUsdc } from '../amount.ts';
import { explorerUrl } from '../output/link.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';
import { learnedOrders, STATUS_TONES } from './columns.ts';
import { goodsGroups, goodsOf, inGroups, onlyName } from './deliveries.ts';

/** The record of a purchase without its goods, as in `scrip orders`. */
export function purchaseRecord({
  intent,
  status,
  orderId,
  merchantOrderId,
  payment,
  returnedAtomic,
}: Omit<Receipt, 'deliveries'>): PurchaseRecord {
  const { summary } = intent;
  const paidAtomic = payment?.amountAtomic ?? paidElsewhere(intent, status);
  return {
    order_id: orderId,
    ...(merchantOrderId === null ? {} : { merchant_order_id: merchantOrderId }),
    status,
    amount: paidAtomic === null ? null : amountText(intent, paidAtomic),
    coin: intent.partner?.coin ?? 'USDC',
    amount_atomic: paidAtomic === null ? null : String(paidAtomic),
    asset: payment?.asset ?? null,
    network: networkOf(intent, payment),
    transaction: payment?.transaction ?? null,
    payer: payment?.payer ?? intent.payer,
    host: intent.host,
    product_id: summary.productId,
    product_name: summary.productName,
    brand_name: summary.brandName,
    country_code: summary.countryCode,
    face_value: summary.faceValue,
    currency: summary.currency,
    beneficiary: summary.beneficiary,
    created_at: new Date(intent.createdAtMs).toISOString(),
    intent_id: intent.intentId,
    idempotency_key: intent.key,
    note: intent.note ?? null,
    ...(returnedAtomic === undefined ? {} : { refunded: amountText(intent, returnedAtomic) }),
  };
}

/** The price of a delivered order that was paid from elsewhere, perhaps without a wallet here. */
function paidElsewhere({ partner, quotedAtomic }: Intent, status: Receipt['status']) {
  return partner !== undefined && status === 'completed' ? parseAtomic(quotedAtomic) : null;
}

/** The merchant's name for the network, if the local wallet cannot pay on it. */
function networkOf({ network, partner }: Intent, payment: PaymentSummary | null): string {
  if (partner !== undefined && !isOwnNetwork(partner.network)) return partner.network;
  return payment?.network ?? network;
}

function paidText(intent: Intent, { amountAtomic }: PaymentSummary): string {
  return `${amountText(intent, amountAtomic)} ${intent.partner?.coin ?? 'USDC'}`;
}

/** In the coin of the purchase. */
function amountText({ partner }: Intent, amountAtomic: Atomic): string {
  return partner === undefined
    ? formatUsdc(amountAtomic)
    : formatDecimal(amountAtomic, partner.decimals, 2);
}

/** Shows the receipt. @param error why the outcome is no success @param more fields to add to the record */
export function receiptView(
  receipt: Receipt,
  error?: ScripError,
  more: Readonly<Record<string, unknown>> = {},
): RecordView {
  const { intent, status, orderId, payment, deliveries } = receipt;
  const title = goodsName({ ...intent.summary, name: intent.summary.productName });
  const groups = [
    [...orderLines(receipt), [t`Status`, status] as const, ...given(t`Note`, intent.note)],
    payment === null
      ? []
      : [[t`Paid`, paidText(intent, payment)] as const, [t`From`, payment.payer] as const],
    ...goodsGroups(deliveries.map(goodsOf)),
    payment === null ? [] : [[t`Transaction`, payment.transaction ?? t`not yet known`] as const],
  ];
  return {
    kind: 'record',
    record: { ...purchaseRecord(receipt), deliveries, ...more },
    tones: { Status: STATUS_TONES[status] },
    title: inCart(title),
    ...inGroups(groups, { title, isStateTold: (state) => state === status }),
    ...(error === undefined ? {} : { error }),
    ...(payment?.transaction ? { longIds: [payment.transaction] } : {}),
    ...linksOf(intent, payment),
    learned: learnedOrders([purchaseRecord(receipt)]),
    // If output fails, the codes are still in the journal.
    ...(orderId !== null &&
      payment !== null && {
        ifLost: {
          hint: commandText`The order was paid; do not pay again. Run: scrip orders reveal ${orderId}`,
          fundsAtRisk: 'spent',
        },
      }),
  };
}

/** If the merchant's id contains unusual characters, shows it next to ours, for contact with the merchant. */
function orderLines({ orderId, merchantOrderId }: OrderNames): readonly Line[] {
  return [[t`Order`, orderId ?? t`not yet known`], ...given(t`Merchant’s id`, merchantOrderId)];
}

/** What was paid, and to whom or that it was test money. */
export function paidFacts({
  intent,
  payment,
}: Pick<Receipt, 'intent' | 'payment'>): readonly Line[] {
  if (payment === null) return given(t`Note`, intent.note);
  const coin = intent.partner?.coin ?? 'USDC';
  const amount = `${priceText(amountText(intent, payment.amountAtomic), coin)} ${coin}`;
  const paid = isEmbeddedMerchant(intent.host)
    ? t`${amount} of test money`
    : t`${amount} to ${hostKey(intent.host)}`;
  return [[t`Paid`, paid], ...given(t`Note`, intent.note)];
}

function linksOf({ host }: Intent, payment: PaymentSummary | null): Pick<RecordView, 'links'> {
  const transaction = payment?.transaction ?? null;
  const url = explorerUrl(host, transaction);
  return url === undefined || transaction === null ? {} : { links: { [transaction]: url } };
}

/** Returns the view of an order. @param error why it is no success */
export function checkoutOrderView(order: CalledOrder, error: ScripError | undefined): RecordView {
  const { deliveries = [], status } = order;
  const { order_id: orderId, merchant_order_id: merchantOrderId = null } = order;
  const goods = deliveries.map(goodsOf);
  const title = onlyName(goods);
  const standing = [...orderLines({ orderId, merchantOrderId }), [t`Status`, status] as const];
  return {
    kind: 'record',
    record: order,
    ...(title === undefined ? {} : { title }),
    tones: { Status: STATUS_TONES[status] },
    ...inGroups([standing, ...goodsGroups(goods)], {
      ...{ title, isStateTold: (state) => state === status },
    }),
    ...(error === undefined ? {} : { error }),
  };
}
