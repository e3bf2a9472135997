/** JSON of our own lists: products with their brand, payment methods; and of one product. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { partnerProduct } from '../../contract/partner-catalog.ts';
import { smartContract } from '../../contract/partner-market.ts';

/** A product of the partner API, with its brand's name added. */
export const listedProduct = lazy(() =>
  z.object({ ...partnerProduct().shape, brand: z.string(), country_code: z.string() }),
);

/** A coin on a network, with the interface's field names. */
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

/** A product's details before it is bought; null if the merchant does not give one. */
export const productDocument = lazy(() =>
  z.strictObject({
    product_id: z.string(),
    name: z.string(),
    brand: z.string(),
    country_code: z.string(),
    kind: z.string().nullable(),
    currency: z.string().nullable(),
    face_value: z.string().nullable(),
    min_value: z.string().nullable(),
    max_value: z.string().nullable(),
    price: z.string().nullable(),
    coin: z.string(),
    is_out_of_stock: z.boolean().nullable(),
    delivery_type: z.string().nullable(),
    redeem_method: z.array(z.string()).readonly(),
    how_to_redeem: z.string().nullable(),
    regions: z.array(z.string()).readonly(),
    validity: z.string().nullable(),
    terms: z.string().nullable(),
    note: z.string().nullable(),
  }),
);
export type ProductDocument = Infer<typeof productDocument>;
