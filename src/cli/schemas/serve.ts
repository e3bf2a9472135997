/** JSON of `scrip sandbox`, `scrip serve` and their subcommands, and of `scrip listen`. */

import { z } from 'zod';
import { VERDICTS } from '../../api/webhooks/webhook-inbox.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { strictObject } from '../../contract/object.ts';
import {
  partnerWithSecret,
  partnerWithWebhookSecret,
  shopOrderDetails,
  wokenOrder,
} from '../../contract/operator-records.ts';
import { webhookBody } from '../../contract/webhook.ts';
import {
  type AuditReport,
  MISMATCHES,
  type MismatchKind,
  MONEY,
} from '../../domain/operator/audit.ts';
import type { ShopOrderDetails, WokenOrder } from '../../domain/operator/operator-records.ts';

const wholeSandbox = strictObject(() => ({
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
}));
export type ServedSandboxRecord = Infer<typeof wholeSandbox>;

const servedChain = strictObject(() => ({ rpc_url: z.url(), ws_url: z.url() }));
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
      money: z
        .array(
          z.strictObject({
            what: z.enum(MONEY),
            network: z.string().nullable(),
            coin: z.string(),
            books: z.string().nullable().describe('by the records; null where they do not say'),
            found: z.string().nullable().describe('by the chain or the supplier'),
          }),
        )
        .optional()
        .describe('sums of a shop'),
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

export const playedEvent = strictObject(() => ({
  event: z.string(),
  surface: z.enum(['checkout', 'partner']).nullable(),
  says: z.string().nullable().describe('states in the webhook'),
  what: z.string(),
}));
export type PlayedEventRecord = Infer<typeof playedEvent>;

export const triggered = strictObject(() => ({
  event: z.string(),
  webhook_id: z.string(),
  order_id: z.string(),
  url: z.string(),
  queued: z.boolean().describe('a served sandbox sends it later; otherwise it was sent at once'),
  status: z.number().int().nullable().describe('status of the endpoint’s response'),
  failure: z.string().nullable().describe('error code if there was no response'),
}));
export type TriggeredRecord = Infer<typeof triggered>;

const servedShop = strictObject(() => ({
  listening: z.url().describe('address that is bound'),
  checkout_url: z.url(),
  api_url: z.url(),
  mcp_url: z.url(),
  fee_payer: z.string().describe('address that pays network fees and rent'),
  treasury: z.string(),
  base: z
    .strictObject({
      fee_account: z.string().describe('address that pays the gas'),
      treasury: z.string(),
    })
    .optional()
    .describe('where the shop takes payments on Base too'),
  database: z
    .string()
    .describe('where the shop is kept: a file, or a server without user and password'),
}));
export type ServedShopRecord = Infer<typeof servedShop>;

const shopCheck = strictObject(() => ({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      part: z.string(),
      ok: z.boolean(),
      degraded: z.boolean().describe('the shop sells less because of it'),
      detail: z.string(),
    }),
  ),
}));
export type ShopCheckRecord = Infer<typeof shopCheck>;

/** With `--config-schema`: the JSON Schema of the configuration file. */
const configSchema = lazy(() => z.looseObject({ $schema: z.url() }));

export const served = lazy(() => z.union([servedShop(), shopCheck(), configSchema()]));

/** With `--webhook-secret` the other secret stays as it is. */
export const rotatedPartner = lazy(() =>
  z.union([partnerWithSecret(), partnerWithWebhookSecret()]),
);

const nextLines = lazy(() => z.array(z.string()).describe('command lines that may be next'));

export const operatedOrder = lazy(() => shopOrderDetails().extend({ next: nextLines() }));
export type OperatedOrderRecord = ShopOrderDetails & { readonly next: readonly string[] };

export const wokenOrderNext = lazy(() => wokenOrder().extend({ next: nextLines() }));
export type WokenOrderRecord = WokenOrder & { readonly next: readonly string[] };

/** The first line with `--ndjson`. */
export const listening = strictObject(() => ({
  event: z.literal('listening'),
  url: z.url().describe('the callback URL for orders'),
}));

export const receivedWebhook = strictObject(() => ({
  event: z.literal('webhook'),
  at: z.iso.datetime(),
  verdict: z.enum(VERDICTS),
  repeated: z.boolean().describe('a webhook with this id was received before'),
  webhook_id: z.string().nullable(),
  body: webhookBody().nullable().describe('null if the message is not genuine'),
  forwarded: z.number().int().nullable().describe('status of the endpoint’s response'),
  forward_error: z.string().nullable(),
}));
export type ReceivedWebhookRecord = Infer<typeof receivedWebhook>;
