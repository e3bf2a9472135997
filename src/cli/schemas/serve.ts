/** JSON of `scrip sandbox`, `scrip serve` and their subcommands, and of `scrip listen`. */

import { z } from 'zod';
import { VERDICTS } from '../../api/webhooks/webhook-inbox.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { REFUND_STATES } from '../../contract/order-refunds.ts';
import { webhookBody } from '../../contract/webhook.ts';
import { WEBHOOK_STATES, type WebhookRecord } from '../../domain/address/webhook-address.ts';
import { type AuditReport, MISMATCHES, type MismatchKind } from '../../domain/operator/audit.ts';
import {
  type CatalogVersionRecord,
  type OperatorActionRecord,
  ORDER_WAITS,
  type PartnerRecord,
  type PartnerWithSecret,
  type PartnerWithWebhookSecret,
  type ShopOrderDetails,
  type ShopOrderRecord,
  type StockRecord,
  type WokenOrder,
} from '../../domain/operator/operator-records.ts';
import { REFUND_WAITS, type RefundRecord } from '../../domain/refund/refund-record.ts';

const wholeSandbox = lazy(() =>
  z.strictObject({
    checkout_url: z.url(),
    api_url: z.url(),
    mcp_url: z.url(),
    rpc_url: z.url(),
    ws_url: z.url(),
    webhook_secret: z.string(),
    database: z
      .string()
      .describe('where the shop is kept: a file, or a server without user and password'),
    fee_payer: z.string().optional().describe('address that pays the network fees'),
    fault_seed: z.number().int().optional(),
  }),
);
export type ServedSandboxRecord = Infer<typeof wholeSandbox>;

const servedChain = lazy(() => z.strictObject({ rpc_url: z.url(), ws_url: z.url() }));
export type ServedChainRecord = Infer<typeof servedChain>;

/** With `--chain-only` there is only a chain. */
export const servedSandbox = lazy(() => z.union([wholeSandbox(), servedChain()]));

const count = lazy(() => z.number().int().nonnegative());

export const auditReport = lazy(
  () =>
    z.strictObject({
      agrees: z.boolean(),
      checked: z.strictObject({
        transactions: count(),
        transfers: count(),
        settlements: count(),
        partner_orders: count(),
        lines: count(),
        purchases: count(),
        refunds: count(),
      }),
      open: count(),
      not_checked: z
        .strictObject({
          before: z.iso.datetime(),
          settlements: count(),
          partner_orders: count(),
          lines: count(),
          refunds: count(),
        })
        .nullable()
        .describe('what is older than the day it began at; null if it read everything'),
      mismatches: z.array(
        z.strictObject({
          // Safe: these are the keys of the table.
          kind: z.enum(Object.keys(MISMATCHES) as MismatchKind[]),
          order_id: z.string().nullable(),
          subject: z.string(),
          expected: z.string(),
          found: z.string(),
          todo: z.string(),
        }),
      ),
    }) satisfies z.ZodType<AuditReport>,
);

export const refund = lazy(
  (): z.ZodType<RefundRecord> =>
    z.strictObject({
      refund_id: z.string(),
      order_id: z.string().nullable().describe('null of money that paid no order'),
      amount: z.string().describe('in the coin'),
      coin: z.string(),
      recipient: z.string().nullable().describe('null until an address is known'),
      reason: z.string(),
      state: z.enum(REFUND_STATES),
      waits_for: z.enum(REFUND_WAITS).nullable(),
      transaction: z.string().nullable().describe('that paid it'),
      created_at: z.iso.datetime(),
    }),
);

export const webhook = lazy(
  () =>
    z.strictObject({
      webhook_id: z.string(),
      order_id: z.string(),
      url: z.string(),
      state: z.enum(WEBHOOK_STATES),
      attempts: count(),
      next_attempt_at: z.iso.datetime().nullable(),
      last_error: z.string().nullable(),
      created_at: z.iso.datetime(),
    }) satisfies z.ZodType<WebhookRecord>,
);

export const playedEvent = lazy(() =>
  z.strictObject({
    event: z.string(),
    surface: z.enum(['checkout', 'partner']).nullable(),
    says: z.string().nullable().describe('states in the webhook'),
    what: z.string(),
  }),
);
export type PlayedEventRecord = Infer<typeof playedEvent>;

export const triggered = lazy(() =>
  z.strictObject({
    event: z.string(),
    webhook_id: z.string(),
    order_id: z.string(),
    url: z.string(),
    queued: z.boolean().describe('a served sandbox sends it later; otherwise it was sent at once'),
    status: z.number().int().nullable().describe('status of the endpoint’s response'),
    failure: z.string().nullable().describe('error code if there was no response'),
  }),
);
export type TriggeredRecord = Infer<typeof triggered>;

const servedShop = lazy(() =>
  z.strictObject({
    listening: z.url().describe('address that is bound'),
    checkout_url: z.url(),
    api_url: z.url(),
    mcp_url: z.url(),
    fee_payer: z.string().describe('address that pays network fees and rent'),
    treasury: z.string(),
    database: z
      .string()
      .describe('where the shop is kept: a file, or a server without user and password'),
  }),
);
export type ServedShopRecord = Infer<typeof servedShop>;

const shopCheck = lazy(() =>
  z.strictObject({
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({
        part: z.string(),
        ok: z.boolean(),
        degraded: z.boolean().describe('the shop sells less because of it'),
        detail: z.string(),
      }),
    ),
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
      former_webhook_secret_until: z.iso.datetime().nullable(),
      revoked_at: z.iso.datetime().nullable(),
    }) satisfies z.ZodType<PartnerRecord>,
);

const partnerWithWebhookSecret = lazy(
  () =>
    partner().extend({
      webhook_secret: z.string().describe('signs the webhooks of all of its orders'),
    }) satisfies z.ZodType<PartnerWithWebhookSecret>,
);

export const partnerWithSecret = lazy(
  () =>
    partnerWithWebhookSecret().extend({
      secret: z.string().describe('for Authorization: Bearer; not shown again'),
    }) satisfies z.ZodType<PartnerWithSecret>,
);

/** With `--webhook-secret` the other secret stays as it is. */
export const rotatedPartner = lazy(() =>
  z.union([partnerWithSecret(), partnerWithWebhookSecret()]),
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
      reason: z.string().nullable().describe('why, in the operator’s words'),
      result: z
        .string()
        .describe('done, an error code, or begun if the command was ended in between'),
    }) satisfies z.ZodType<OperatorActionRecord>,
);

const shopLine = lazy(() =>
  z.strictObject({
    reference: z.string().describe('the supplier knows the line by it'),
    product: z.string(),
    face_value: z.string(),
    currency: z.string(),
    beneficiary: z.string().describe('masked'),
    state: z.enum(['waiting', 'pending', 'completed', 'failed']),
    attempts: z.number().int(),
    next_attempt_at: z.iso.datetime().nullable(),
    refusal: z.string().nullable().describe('why the supplier refused it'),
    last_error: z
      .strictObject({ at: z.iso.datetime(), error: z.string() })
      .nullable()
      .describe('the supplier’s last error, if one ever came'),
  }),
);

const nextLines = lazy(() => z.array(z.string()).describe('command lines that may be next'));

export const operatedOrder = lazy(() =>
  shopOrder().extend({
    email: z.string().describe('masked'),
    amount: z.string(),
    received: z.string(),
    seen: z.string().describe('received, and seen on the chain but not confirmed'),
    coin: z.string(),
    network: z.string().nullable(),
    pay_to: z.string().nullable(),
    payer: z.string().nullable(),
    transactions: z.array(z.string()),
    payment_failure: z.string().nullable(),
    lines: z.array(shopLine()),
    refunds: z.array(refund()),
    webhooks: z.array(webhook()),
    history: z.array(
      z.strictObject({
        at: z.iso.datetime(),
        state: z.string(),
        payment_state: z.string().nullable(),
      }),
    ),
    actions: z.array(operatorAction()),
    waits: z.array(
      z.strictObject({
        for: z.enum(ORDER_WAITS),
        subject: z.string().nullable().describe('line, refund or webhook; null for the order'),
        until: z.iso
          .datetime()
          .nullable()
          .describe('when it is tried again, or ends by itself; null if neither is planned'),
      }),
    ),
    next: nextLines(),
  }),
);
export type OperatedOrderRecord = ShopOrderDetails & { readonly next: readonly string[] };

export const wokenOrder = lazy(() =>
  z.strictObject({
    order_id: z.string(),
    woken: z.array(z.strictObject({ for: z.enum(ORDER_WAITS), subject: z.string().nullable() })),
    next: nextLines(),
  }),
);
export type WokenOrderRecord = WokenOrder & { readonly next: readonly string[] };

export const catalogVersion = lazy(
  () =>
    z.strictObject({
      version: z.string(),
      taken_at: z.iso.datetime().describe('when it took the place of the one before'),
      sold: z.boolean(),
    }) satisfies z.ZodType<CatalogVersionRecord>,
);

export const stock = lazy(
  () =>
    z.strictObject({
      product_id: z.string(),
      product: z.string(),
      face_value: z.string(),
      currency: z.string(),
      available: z.boolean(),
      left: z.number().int().nullable().describe('codes; null if the supplier does not count'),
      given: z.number().int().nullable(),
    }) satisfies z.ZodType<StockRecord>,
);

/** The first line with `--ndjson`. */
export const listening = lazy(() =>
  z.strictObject({
    event: z.literal('listening'),
    url: z.url().describe('the callback URL for orders'),
  }),
);

export const receivedWebhook = lazy(() =>
  z.strictObject({
    event: z.literal('webhook'),
    at: z.iso.datetime(),
    verdict: z.enum(VERDICTS),
    repeated: z.boolean().describe('a webhook with this id was received before'),
    webhook_id: z.string().nullable(),
    body: webhookBody().nullable().describe('null if the message is not genuine'),
    forwarded: z.number().int().nullable().describe('status of the endpoint’s response'),
    forward_error: z.string().nullable(),
  }),
);
export type ReceivedWebhookRecord = Infer<typeof receivedWebhook>;
