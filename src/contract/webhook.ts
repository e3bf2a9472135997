/** The body of a webhook: which order changed, and to which state. Clients read deliveries from the order. */
import { z } from 'zod';
import type { Infer } from './endpoint.ts';
import { object } from './object.ts';

/** Lenient: new event types and fields may be added. */
export const webhookBody = object(() => ({
  type: z.string().max(128),
  timestamp: z.string().max(64).optional(),
  data: z.object({
    order_id: z.string().max(128),
    seq: z.number().int().nonnegative().optional(),
    /** Checkout host only. */
    status: z.string().max(64).optional(),
    /** Partner API only. */
    order_state: z.string().max(64).optional(),
    payment_state: z.string().max(64).optional(),
  }),
}));
export type WireWebhook = Infer<typeof webhookBody>;
