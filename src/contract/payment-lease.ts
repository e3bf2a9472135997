/**
 * Ours: a lease to pay an order, for machines that share one wallet and one idempotency key. A host
 * without it answers 404; the client then pays without a lease.
 */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';

export const paymentLease = lazy(() =>
  z.object({
    /** Whether the holder that asked may sign now. */
    is_held: z.boolean(),
    /** Remaining time of the lease, for its holder and for others. */
    seconds: z.number().int().min(0),
    /** How often the lease changed its holder: payments that earlier holders signed may still land. */
    passed_on: z.number().int().min(0),
  }),
);
export type WirePaymentLease = Infer<typeof paymentLease>;

export const takePaymentLease = endpoint({
  name: 'takePaymentLease',
  method: 'POST',
  path: '/v5/orders/{order_id}/payment_lease',
  summary: 'Takes or renews the lease to pay an order from a wallet',
  input: lazy(() =>
    z.strictObject({
      order_id: z.uuid(),
      /** Different on each machine, and hard to guess. */
      holder: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/),
    }),
  ),
  output: paymentLease,
  hints: { idempotent: true },
});
