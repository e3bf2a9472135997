/** JSON of `scrip track --all`. */
import { z } from 'zod';
import { orderStatus } from '../../contract/checkout.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { refunds } from './purchase.ts';

/** An order of the checkout host, with the id that we print for it. */
export const calledOrder = lazy(() =>
  orderStatus().extend({
    merchant_order_id: z.string().optional().describe('if it differs from order_id'),
    refunds: refunds(),
  }),
);

export const trackedOrder = lazy(() =>
  z.strictObject({
    at: z.iso.datetime().describe('when this state was seen'),
    order_id: z.string(),
    surface: z.enum(['checkout', 'partner']),
    host: z.string(),
    product_name: z.string(),
    status: z
      .string()
      .describe('the merchant’s own state; unknown if the merchant could not be reached'),
    payment_state: z.string().nullable(),
    ended: z.boolean().describe('whether the order has reached its final state'),
    error: z.string().nullable().describe('error code if it is not delivered'),
    refunds: refunds(),
  }),
);
export type TrackedOrder = Infer<typeof trackedOrder>;
