/** Leases to pay an order of the partner API. */
import type { Db } from '../sql.ts';
import { table } from '../table.ts';

export interface PaymentLeaseRow {
  readonly orderId: string;
  /** The last holder, by a name it chose itself. */
  readonly holder: string;
  readonly endsAtMs: number;
  /** How often the lease changed its holder. */
  readonly passedOn: number;
}

const paymentLeases = table<PaymentLeaseRow>('paymentLeases', 'orderId');

export function paymentLeasesIn(db: Db) {
  const { first, put } = paymentLeases.in(db);
  return { ofOrder: (orderId: string) => first({ orderId }), put };
}
