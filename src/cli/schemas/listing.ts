/** JSON of the lists that are ours: products with their brand, ways to pay. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { partnerProduct } from '../../contract/partner-catalog.ts';
import { smartContract } from '../../contract/partner-market.ts';

/** A product of the partner API with its brand's name beside it. */
export const listedProduct = lazy(() =>
  z.object({ ...partnerProduct().shape, brand: z.string(), country_code: z.string() }),
);

/** A coin on a network, in the wire's names. */
export const viaRow = lazy(() =>
  z.strictObject({
    payment_via: z.string(),
    coin: z.string(),
    network: z.string().nullable(),
    is_suspended: z.boolean(),
    threshold: z.string().nullable(),
    chain_id: z.number().int().nullable(),
    smart_contract: smartContract().nullable(),
  }),
);
export type ViaRow = Infer<typeof viaRow>;
