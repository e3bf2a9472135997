/** An order as returned by creation, polling and the stream. The only place that decrypts its vouchers. */
import type {
  WireCreateOrder,
  WirePartnerDelivery,
  WirePartnerOrder,
} from '../../../contract/partner-orders.ts';
import type { Coin, CoinNetwork } from '../../../domain/money/coin.ts';
import { type Atomic, atomic, formatDecimal, parseAtomic } from '../../../domain/money/money.ts';
import type { OrderSummary } from '../../../domain/money/partner-amounts.ts';
import { isTerminal } from '../../../domain/order/order-states.ts';
import { paymentMethodLabel } from '../../../domain/payment/payment-means.ts';
import { paymentUri } from '../../../domain/payment/payment-uri.ts';
import type { DeliveryRow } from '../../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { decodeLine } from '../../checkout/line.ts';
import { sha256 } from '../../digest.ts';
import { pagePath } from '../../page/path.ts';
import { qrUrl } from '../catalog/qr.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { formatUsd } from '../rules/order-context.ts';
import { deliverableView, type LinePart, redemptionView } from './deliverable.ts';
import { isAskedFor } from './progress.ts';

/** The stored sums of an order. */
export interface OrderQuote {
  readonly summary: OrderSummary;
}

/**
 * Returns the order on the wire.
 * @param deliveries the order's, if the caller has them; otherwise they are read
 * @throws if a voucher cannot be decrypted: its row was changed, or the key is wrong
 */
export async function orderView(
  viewer: PartnerOrderDeps,
  row: PartnerOrderRow,
  deliveries?: readonly DeliveryRow[],
): Promise<WirePartnerOrder> {
  const request: WireCreateOrder = JSON.parse(row.request);
  const quote: OrderQuote = JSON.parse(row.quote);
  const createdAt = Math.floor(row.createdAtMs / 1000);
  return {
    order_id: row.orderId,
    created_at: createdAt,
    payment_state: row.paymentState,
    order_state: row.orderState,
    ...paymentView(viewer, row, request),
    original_price: formatUsd(parseAtomic(row.valueUsd)),
    deliveries: await deliveryViews(viewer, row, deliveries),
    summary: quote.summary,
    user: request.user,
    payment_requested_at: isAskedFor(row) ? createdAt : null,
    payment_transactions: JSON.parse(row.transactions),
    campaign_rewards: null,
    state_transition_notification_url: row.notificationUrl,
    sandbox_mode: viewer.isSandbox,
    store_type: null,
  };
}

/** All payment fields; the buyer may see them. */
export function paymentView(
  viewer: PartnerOrderDeps,
  row: PartnerOrderRow,
  { payment }: WireCreateOrder = JSON.parse(row.request),
) {
  const { market, baseUrl } = viewer;
  const via = payment.type === 'via' ? payment.payment_via : payment.type;
  const isExternal = market.via(via)?.isExternal ?? false;
  const coin = market.coin(row.coin);
  const network = coin && market.network(coin, row.network ?? '');
  const amount = parseAtomic(row.coinAmountAtomic);
  const coinAmount = formatDecimal(amount, row.decimals);
  const asked = { coin, network, amount, reference: referenceOf(row.orderId) };
  const qrText = qrOf(row, asked);
  return {
    is_payment_processor_external: isExternal,
    ...(isWalletTold(row) && { wallet_address: row.walletAddress ?? '' }),
    payment_method: coin && network ? paymentMethodLabel(coin, network) : via,
    payment_via: via,
    ...(row.network !== null && { payment_method_protocol: row.network, network: row.network }),
    payment_id: row.orderId,
    payment_value: coinAmount,
    coin: row.coin,
    coin_amount: coinAmount,
    ...(qrText !== undefined && { qr_text: qrText, qr_url: qrUrl(baseUrl, qrText) }),
    ...receivedView(viewer, row, asked),
    checkout_url:
      viewer.hasPages && isAskedFor(row) && amount > 0n ? baseUrl + pagePath(row.pageId) : null,
  };
}

interface Asked {
  readonly coin: Coin | undefined;
  readonly network: CoinNetwork | undefined;
  readonly amount: Atomic;
  readonly reference: Uint8Array;
}

/**
 * The key that a wallet adds to a transfer for this order (Solana Pay, `reference`). It is a
 * digest, since the chain is public and must not reveal the order's id.
 */
export function referenceOf(orderId: string): Uint8Array {
  return sha256(`solana-pay reference ${orderId}`);
}

/** The wire has no address before the wallet is created, or if that failed. */
function isWalletTold({ walletAddress, paymentState, orderState }: PartnerOrderRow): boolean {
  const isThere = paymentState !== 'WalletRequested' && orderState !== 'PaymentSetupFailed';
  return walletAddress !== null && isThere;
}

/** The payment as a URI of its network, once requested; undefined if a processor takes it. */
function qrOf(
  row: PartnerOrderRow,
  { coin, network, amount, reference }: Asked,
): string | undefined {
  const { walletAddress: address } = row;
  if (!coin || !network || address === null || amount === 0n || !isAskedFor(row)) return undefined;
  return paymentUri({ coin, network, address, amount, reference });
}

/** Amounts seen, confirmed and missing; an overpayment shows in `received_amount`. */
function receivedView({ baseUrl }: PartnerOrderDeps, row: PartnerOrderRow, asked: Asked) {
  const received = parseAtomic(row.receivedAtomic);
  const seen = parseAtomic(row.seenAtomic);
  const text = (value: Atomic) => (value === 0n ? null : formatDecimal(value, row.decimals));
  const isPartial = received > 0n && received < asked.amount && !isTerminal(row);
  const missing = atomic(isPartial ? asked.amount - received : 0n);
  const qrText = qrOf(row, { ...asked, amount: missing });
  return {
    sent_coin_amount: text(seen),
    received_amount: text(received),
    missing_amount: text(missing),
    missing_amount_qr_text: qrText ?? null,
    missing_amount_qr_url: qrText === undefined ? null : qrUrl(baseUrl, qrText),
  };
}

async function deliveryViews(
  viewer: PartnerOrderDeps,
  row: PartnerOrderRow,
  known: readonly DeliveryRow[] | undefined,
): Promise<WirePartnerDelivery[]> {
  const parts: readonly LinePart[] = JSON.parse(row.lines);
  const deliveries = known ?? (await viewer.store.tables.deliveries.ofOrder(row.orderId));
  return Promise.all(
    deliveries.map((delivery) => deliveryView(viewer, delivery, parts[delivery.line])),
  );
}

async function deliveryView(
  { vault, baseUrl, isSandbox }: PartnerOrderDeps,
  delivery: DeliveryRow,
  part: LinePart | undefined,
): Promise<WirePartnerDelivery> {
  const line = decodeLine(delivery.goods);
  const isDone = delivery.state === 'completed' && delivery.voucher !== null;
  const voucher = isDone ? await vault.open(delivery.voucher, delivery) : undefined;
  return {
    id: delivery.deliveryId,
    // Ours: the states of the checkout host.
    delivery_state: delivery.state === 'waiting' ? 'pending' : delivery.state,
    kind: line.product.brand.kind,
    deliverable: {
      ...deliverableView(baseUrl, line, part),
      ...(delivery.failureReason !== null && { failure_reason: delivery.failureReason }),
      ...(voucher && redemptionView(voucher)),
    },
    sandbox_mode: isSandbox,
  };
}
