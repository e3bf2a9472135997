/** JSON of `scrip track --all`. */
import { z } from 'zod';
import { orderStatus } from '../../contract/checkout.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';

/** An order of the checkout host, with the id that we print for it. */
export const calledOrder = lazy(() =>
  orderStatus().extend({
    merchant_order_id: z.string().optional().describe('where it is another one than order_id'),
  }),
);

export const trackedOrder = lazy(() =>
  z.strictObject({
    at: z.iso.datetime().describe('when it was seen like this'),
    order_id: z.string(),
    surface: z.enum(['checkout', 'partner']),
    host: z.string(),
    product_name: z.string(),
    status: z.string().describe('as the merchant names it; unknown where it could not be asked'),
    payment_state: z.string().nullable(),
    ended: z.boolean().describe('nothing more is to be waited for'),
    error: z.string().nullable().describe('code of why it is not delivered'),
  }),
);
export type TrackedOrder = Infer<typeof trackedOrder>;
