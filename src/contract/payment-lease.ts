/**
 * Ours: whose turn it is to pay an order, for machines that share one wallet and one idempotency key.
 * A host without it answers 404, and the client does not wait for a turn there.
 */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';

export const paymentLease = lazy(() =>
  z.object({
    /** The holder that asked may sign now. */
    is_held: z.boolean(),
    /** How long that lasts; for all others, how long it is another's. */
    seconds: z.number().int().min(0),
    /** How often it went from one holder to another: what the others signed may still land. */
    passed_on: z.number().int().min(0),
  }),
);
export type WirePaymentLease = Infer<typeof paymentLease>;

export const takePaymentLease = endpoint({
  name: 'takePaymentLease',
  surface: 'partner',
  method: 'POST',
  path: '/v5/orders/{order_id}/payment_lease',
  summary: 'Takes or renews the turn to pay an order from a wallet',
  input: lazy(() =>
    z.strictObject({
      order_id: z.uuid(),
      /** One for each machine, and not to be guessed. */
      holder: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/),
    }),
  ),
  output: paymentLease,
  hints: { idempotent: true },
});
