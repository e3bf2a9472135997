/** JSON of `scrip sandbox` and its subcommands. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { REFUND_STATES } from '../../contract/order-refunds.ts';
import { type AuditReport, MISMATCHES, type MismatchKind } from '../../domain/audit.ts';
import { REFUND_WAITS, type RefundRecord } from '../../domain/refund-record.ts';
import { WEBHOOK_STATES, type WebhookRecord } from '../../domain/webhook-record.ts';

const servedShop = lazy(() =>
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
    settles_for: z
      .array(z.strictObject({ caller: z.string(), lamports_per_day: z.string() }))
      .optional()
      .describe('other callers whose payments are settled'),
    fault_seed: z.number().int().optional(),
  }),
);
export type ServedSandboxRecord = Infer<typeof servedShop>;

const servedChain = lazy(() => z.strictObject({ rpc_url: z.url(), ws_url: z.url() }));
export type ServedChainRecord = Infer<typeof servedChain>;

/** With `--chain-only` there is only a chain. */
export const servedSandbox = lazy(() => z.union([servedShop(), servedChain()]));

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
      callers: z
        .array(z.strictObject({ caller: z.string(), payments: count(), lamports: z.string() }))
        .describe('callers whose payments were settled today (UTC), and the fee payer’s cost'),
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
