/** What a webhook says: thin facts of one change of an order; the goods are read from the order. */
import { z } from 'zod';
import { type Infer, lazy } from './endpoint.ts';

/** Read tolerantly: more kinds of events and more fields may come. */
export const webhookBody = lazy(() =>
  z.object({
    type: z.string().max(128),
    timestamp: z.string().max(64).optional(),
    data: z.object({
      order_id: z.string().max(128),
      seq: z.number().int().nonnegative().optional(),
      /** On the checkout host. */
      status: z.string().max(64).optional(),
      /** On the partner API. */
      order_state: z.string().max(64).optional(),
      payment_state: z.string().max(64).optional(),
    }),
  }),
);
export type WireWebhook = Infer<typeof webhookBody>;
