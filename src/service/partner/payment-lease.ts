/**
 * A lease lets one machine at a time pay an order. Of machines that share a wallet and an
 * idempotency key, the first to ask has a minute to sign; the others wait until nothing it signed
 * can land.
 */
import type { WirePaymentLease } from '../../contract/payment-lease.ts';
import type { PaymentLeaseRow } from '../../store/tables/payment-leases.ts';
import type { PartnerOrderDeps } from './order-deps.ts';

export const LEASE_MS = 60_000;

export async function takeLease(
  { store, clock }: Pick<PartnerOrderDeps, 'store' | 'clock'>,
  { orderId, holder }: Pick<PaymentLeaseRow, 'orderId' | 'holder'>,
): Promise<WirePaymentLease> {
  return store.write(async ({ paymentLeases, holds }) => {
    await holds.take(`order ${orderId}`);
    const nowMs = clock.now();
    const before = await paymentLeases.ofOrder(orderId);
    const isOther = before !== undefined && before.holder !== holder;
    const passedOn = before?.passedOn ?? 0;
    if (isOther && before.endsAtMs > nowMs) {
      const seconds = Math.ceil((before.endsAtMs - nowMs) / 1_000);
      return { is_held: false, seconds, passed_on: passedOn };
    }
    const row = {
      orderId,
      holder,
      endsAtMs: nowMs + LEASE_MS,
      passedOn: isOther ? passedOn + 1 : passedOn,
    };
    await paymentLeases.put(row);
    return { is_held: true, seconds: LEASE_MS / 1_000, passed_on: row.passedOn };
  });
}
