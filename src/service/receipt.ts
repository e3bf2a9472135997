/** What a caller sees of an order: the receipt of phase 2, and the status for polling. */
import {
  getOrder,
  type WireDelivery,
  type WireOrderReceipt,
  type WireOrderStatus,
} from '../contract/checkout.ts';
import { encodeHeader, PAYMENT_RESPONSE_HEADER, type SettleResponse } from '../contract/x402.ts';
import { formatFaceValue } from '../domain/product.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import type { OrderRow } from '../store/tables/orders.ts';
import type { SettlementRow } from '../store/tables/settlements.ts';
import { WIRE_ERRORS } from './errors.ts';
import { decodeLine } from './line.ts';
import type { ServiceOptions } from './options.ts';
import { jsonReply, PRIVATE_HEADERS } from './reply.ts';
import type { Voucher } from './suppliers/supplier.ts';
import type { VoucherVault } from './voucher-vault.ts';

type Teller = Pick<ServiceOptions, 'rail' | 'baseUrl'>;

/** Ours: most codes arrive at once; a client polls every 5 to 10 seconds (interface: Limits). */
const ESTIMATED_DELIVERY_SECONDS = 10;

interface Accepted {
  readonly email: string;
  readonly deliveries: readonly DeliveryRow[];
  readonly pendingTransaction: string;
}

/**
 * The receipt only says that the order was accepted, so repeats are equal; status and codes are at
 * `poll_url`.
 */
export function receiptReply(
  { rail, baseUrl }: Teller,
  settlement: SettlementRow,
  { email, deliveries, pendingTransaction }: Accepted,
): Response {
  const { orderId } = settlement;
  const receipt: WireOrderReceipt = {
    order_id: orderId,
    status: 'processing',
    email,
    estimated_delivery_seconds: ESTIMATED_DELIVERY_SECONDS,
    poll_url: baseUrl + getOrder.path.replace('{order_id}', orderId),
    deliveries: deliveries.map((row) => ({ ...describeGoods(row), delivery_state: 'pending' })),
  };
  const result = settleResult(settlement, rail.network, pendingTransaction);
  return jsonReply(receipt, 200, paymentResponse(result));
}

/** Answers 402 without a new requirement: the session has had its payment, which will never land. */
export function settlementFailedReply({ rail }: Teller, settlement: SettlementRow): Response {
  const error = 'settlement_failed';
  const body = {
    error,
    message: 'The payment was not settled; nothing was charged.',
    reason: settlement.reason,
    order_id: settlement.orderId,
  };
  const result = settleResult(settlement, rail.network, '');
  return jsonReply(body, WIRE_ERRORS[error], paymentResponse(result));
}

function paymentResponse(result: SettleResponse): Record<string, string> {
  return { ...PRIVATE_HEADERS, [PAYMENT_RESPONSE_HEADER]: encodeHeader(result) };
}

/** x402's SettleResponse; `settlement_pending` is the standard's code for an undecided settlement. */
function settleResult(
  { state, transaction, payer, reason }: SettlementRow,
  network: string,
  pendingTransaction: string,
): SettleResponse {
  if (state === 'settled') return { success: true, transaction: transaction ?? '', network, payer };
  if (state === 'failed') {
    const errorReason = reason ?? 'unknown';
    return { success: false, transaction: transaction ?? '', network, payer, errorReason };
  }
  const errorReason = 'settlement_pending';
  return { success: false, transaction: pendingTransaction, network, payer, errorReason };
}

/** The only reply with voucher codes; they are decrypted only for it. */
export async function statusReply(
  { store, vault }: Pick<ServiceOptions, 'store'> & { readonly vault: VoucherVault },
  order: OrderRow,
): Promise<Response> {
  const rows = await store.tables.deliveries.ofOrder(order.orderId);
  const deliveries = await Promise.all(rows.map((row) => describeDelivery(vault, row)));
  const body: WireOrderStatus = { order_id: order.orderId, status: order.status, deliveries };
  return jsonReply(body, 200, PRIVATE_HEADERS);
}

async function describeDelivery(vault: VoucherVault, row: DeliveryRow): Promise<WireDelivery> {
  const goods = describeGoods(row);
  if (row.state === 'failed') {
    const failure_reason = row.failureReason ?? 'The delivery failed.';
    return { ...goods, delivery_state: 'failed', failure_reason };
  }
  if (row.state !== 'completed') return { ...goods, delivery_state: 'pending' };
  const voucher = row.voucher && describeVoucher(await vault.open(row.voucher, row));
  return { ...goods, ...voucher, delivery_state: 'completed' };
}

function describeGoods(row: DeliveryRow): WireDelivery {
  const { product, faceValue } = decodeLine(row.goods);
  return {
    id: row.deliveryId,
    brand_name: product.brand.name,
    product_name: product.name,
    denomination: product.label,
    face_value: formatFaceValue(faceValue),
    currency: product.brand.currency,
    beneficiary_account: row.beneficiary,
    country_code: product.brand.countryCode,
  };
}

function describeVoucher(voucher: Voucher): WireDelivery {
  return {
    ...(voucher.voucherCode !== undefined && { voucher_code: voucher.voucherCode }),
    ...(voucher.pinSerial !== undefined && { pin_serial: voucher.pinSerial }),
    ...(voucher.securityCode !== undefined && { security_code: voucher.securityCode }),
    redeem_instructions: voucher.redeemInstructions,
    terms_and_conditions: voucher.termsAndConditions,
    ...(voucher.url !== undefined && { url: voucher.url }),
    delivery_type: voucher.deliveryType,
  };
}
