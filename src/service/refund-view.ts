/** Refunds of an order as its buyer sees them: what waits for the shop is not told apart. */
import type { WireRefund, WireRefunds } from '../contract/order-refunds.ts';
import { atomic, formatDecimal, parseAtomic } from '../domain/money.ts';
import { refundIdOf } from '../domain/refund-record.ts';
import type { Tables } from '../store/store.ts';
import type { RefundPayment } from '../store/tables/refunds.ts';
import { paymentsOf } from './refunds.ts';
import { jsonReply, PRIVATE_HEADERS } from './reply.ts';

export async function refundsReply(
  tables: Pick<Tables, 'refunds' | 'payouts'>,
  orderId: string,
): Promise<Response> {
  const refunds = (await paymentsOf(tables, orderId)).map(refundView);
  return jsonReply({ order_id: orderId, refunds } satisfies WireRefunds, 200, PRIVATE_HEADERS);
}

export const REFUND_STATE_OF = {
  open: 'waiting',
  sending: 'sending',
  sent: 'sent',
  refused: 'refused',
} as const;

function refundView({ refund, payout }: RefundPayment): WireRefund {
  const state = REFUND_STATE_OF[payout?.state ?? 'open'];
  return {
    refund_id: refundIdOf(refund.refundId),
    amount: refundAmount(refund),
    coin: refund.coin,
    reason: refund.reason,
    state,
    waits_for: state === 'waiting' ? needOf({ refund, payout }) : null,
    recipient: refund.recipient,
    transaction: payout?.transaction ?? null,
    created_at: new Date(refund.createdAtMs).toISOString(),
  };
}

function needOf({ refund, payout }: RefundPayment): WireRefund['waits_for'] {
  if (refund.recipient === null) return 'address';
  return payout?.waitsFor === 'account' ? 'account' : 'shop';
}

/** Decimal text, in the refund's coin. */
export function refundAmount({ amountAtomic, decimals }: RefundPayment['refund']): string {
  return formatDecimal(atomic(parseAtomic(amountAtomic)), decimals);
}
