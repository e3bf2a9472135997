/** JSON of `scrip serve`. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';

const servedShop = lazy(() =>
  z.strictObject({
    listening: z.url().describe('address that is bound'),
    checkout_url: z.url(),
    api_url: z.url(),
    mcp_url: z.url(),
    fee_payer: z.string().describe('address that pays network fees and rent'),
    treasury: z.string(),
  }),
);
export type ServedShopRecord = Infer<typeof servedShop>;

const shopCheck = lazy(() =>
  z.strictObject({
    ok: z.boolean(),
    checks: z.array(z.strictObject({ part: z.string(), ok: z.boolean(), detail: z.string() })),
  }),
);
export type ShopCheckRecord = Infer<typeof shopCheck>;

/** With `--config-schema`: the JSON Schema of the configuration file. */
const configSchema = lazy(() => z.looseObject({ $schema: z.url() }));

export const served = lazy(() => z.union([servedShop(), shopCheck(), configSchema()]));
