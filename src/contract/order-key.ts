/**
 * Ours: an order is made once and paid once. A key identifies its creation (`POST /v5/orders`); a lease lets one
 * of the machines that share a wallet and a key pay it. A host without leases answers 404; the client then pays
 * without one.
 */

import { z } from 'zod';
import { endpoint, type Infer } from './endpoint.ts';
import { object, strictObject } from './object.ts';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/**
 * With the value `once`, the key makes only one order ever: after that order has ended, a creation
 * with the key is refused.
 */
export const KEY_USE_HEADER = 'X-Scrip-Key';
export const USED_ONCE = 'once';

/** `detail` of that refusal, and the schema of its `moreDetails`. */
export const ORDER_IS_OVER = 'ORDER_IS_OVER';
export const orderOver = object(() => ({ order_id: z.uuid(), order_state: z.string() }));

export const paymentLease = object(() => ({
  /** Whether the holder that asked may sign now. */
  is_held: z.boolean(),
  /** Remaining time of the lease, for its holder and for others. */
  seconds: z.number().int().min(0),
  /** How often the lease changed its holder: payments that earlier holders signed may still land. */
  passed_on: z.number().int().min(0),
}));
export type WirePaymentLease = Infer<typeof paymentLease>;

export const takePaymentLease = endpoint({
  name: 'takePaymentLease',
  method: 'POST',
  path: '/v5/orders/{order_id}/payment_lease',
  summary: 'Takes or renews the lease to pay an order from a wallet',
  input: strictObject(() => ({
    order_id: z.uuid(),
    /** Different on each machine, and hard to guess. */
    holder: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/),
  })),
  output: paymentLease,
  hints: { idempotent: true },
});
