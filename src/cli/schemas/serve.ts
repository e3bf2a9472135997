/** JSON of `scrip serve` and its subcommands. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import type {
  OperatorActionRecord,
  PartnerRecord,
  PartnerWithSecret,
  ShopOrderRecord,
} from '../../domain/operator-records.ts';

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

export const partner = lazy(
  () =>
    z.strictObject({
      partner_id: z.string(),
      state: z.enum(['active', 'revoked']),
      networks: z.array(z.string()).describe('from where it may call; from anywhere if empty'),
      orders_per_minute: z.number().int().nullable().describe('null for everyone’s limit'),
      created_at: z.iso.datetime(),
      former_secret_until: z.iso.datetime().nullable(),
      revoked_at: z.iso.datetime().nullable(),
    }) satisfies z.ZodType<PartnerRecord>,
);

export const partnerWithSecret = lazy(
  () =>
    partner().extend({
      secret: z.string().describe('for Authorization: Bearer; not shown again'),
      webhook_secret: z.string().describe('signs the webhooks of all of its orders'),
    }) satisfies z.ZodType<PartnerWithSecret>,
);

export const shopOrder = lazy(
  () =>
    z.strictObject({
      order_id: z.string(),
      surface: z.enum(['checkout', 'partner']),
      state: z.string().describe('status at the checkout host, or order state of the partner API'),
      payment_state: z.string().nullable(),
      partner_id: z.string().nullable(),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    }) satisfies z.ZodType<ShopOrderRecord>,
);

export const operatorAction = lazy(
  () =>
    z.strictObject({
      at: z.iso.datetime(),
      who: z.string(),
      action: z.string(),
      subject: z.string(),
      result: z
        .string()
        .describe('done, an error code, or begun if the command was ended in between'),
    }) satisfies z.ZodType<OperatorActionRecord>,
);
