/** What operators see of orders, partners, refunds and webhooks, and of what was done by hand. */
import { z } from 'zod';
import { lazy } from './endpoint.ts';
import { strictObject } from './object.ts';
import { REFUND_WAITS, WEBHOOK_STATES } from './operator-states.ts';
import { REFUND_STATES } from './order-refunds.ts';

const count = lazy(() => z.number().int().nonnegative());

export const refund = strictObject(() => ({
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
}));

export const webhook = strictObject(() => ({
  webhook_id: z.string(),
  order_id: z.string(),
  url: z.string(),
  state: z.enum(WEBHOOK_STATES),
  attempts: count(),
  next_attempt_at: z.iso.datetime().nullable(),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
}));

export const partner = strictObject(() => ({
  partner_id: z.string(),
  state: z.enum(['active', 'revoked']),
  networks: z.array(z.string()).describe('from where it may call; from anywhere if empty'),
  orders_per_minute: z.number().int().nullable().describe('null for everyone’s limit'),
  created_at: z.iso.datetime(),
  former_secret_until: z.iso.datetime().nullable(),
  former_webhook_secret_until: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
}));

export const partnerWithWebhookSecret = lazy(() =>
  partner().extend({
    webhook_secret: z.string().describe('signs the webhooks of all of its orders'),
  }),
);

export const partnerWithSecret = lazy(() =>
  partnerWithWebhookSecret().extend({
    secret: z.string().describe('for Authorization: Bearer; not shown again'),
  }),
);

export const shopOrder = strictObject(() => ({
  order_id: z.string(),
  surface: z.enum(['checkout', 'partner']),
  state: z.string().describe('status at the checkout host, or order state of the partner API'),
  payment_state: z.string().nullable(),
  partner_id: z.string().nullable(),
  email: z.string().describe('masked'),
  amount: z.string().describe('in the coin'),
  coin: z.string(),
  network: z.string().nullable().describe('CAIP-2 id, or a name where it has none'),
  product: z.string().describe('of the first line, and how many more there are'),
  payer: z.string().nullable().describe('the wallet that paid, where it is known'),
  transactions: z.array(z.string()),
  refund: z.string().nullable().describe('what is owed or was sent back, in the coin'),
  refund_state: z.enum(REFUND_STATES).nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}));

export const operatorAction = strictObject(() => ({
  at: z.iso.datetime(),
  who: z.string(),
  action: z.string(),
  subject: z.string(),
  reason: z.string().nullable().describe('why, in the operator’s words'),
  result: z.string().describe('done, an error code, or begun if the command was ended in between'),
}));

export const alarm = strictObject(() => ({
  alarm: z.string().describe('its name (docs/operate/alarms.md)'),
  since: z.iso.datetime(),
  means: z.string(),
  found: z.string().describe('in figures or words'),
  todo: z.string(),
  told_at: z.iso.datetime().nullable().describe('null if the log did not tell it yet'),
}));

export const alarmTrial = strictObject(() => ({
  sent_by: z
    .array(z.enum(['webhook', 'mail']))
    .describe('those that took it; empty if the configuration names neither'),
  failed: z.array(
    strictObject(() => ({ way: z.enum(['webhook', 'mail']), message: z.string() }))(),
  ),
}));

export const shopLine = strictObject(() => ({
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
}));

/** What an order waits for; `operator` is a person of the shop. */
const ORDER_WAITS = ['payment', 'check', 'supplier', 'operator', 'refund', 'webhook'] as const;

export const shopOrderDetails = lazy(() =>
  shopOrder().extend({
    received: z.string(),
    seen: z.string().describe('received, and seen on the chain but not confirmed'),
    pay_to: z.string().nullable(),
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
  }),
);
export const wokenOrder = strictObject(() => ({
  order_id: z.string(),
  woken: z.array(z.strictObject({ for: z.enum(ORDER_WAITS), subject: z.string().nullable() })),
}));
export const catalogVersion = strictObject(() => ({
  version: z.string(),
  taken_at: z.iso.datetime().describe('when it took the place of the one before'),
  sold: z.boolean(),
}));

export const stock = strictObject(() => ({
  product_id: z.string(),
  product: z.string(),
  face_value: z.string(),
  currency: z.string(),
  available: z.boolean(),
  left: z.number().int().nullable().describe('codes; null if the supplier does not count'),
  given: z.number().int().nullable(),
}));

const orderIds = lazy(() => z.array(z.string()));

export const personExport = strictObject(() => ({
  email: z.string(),
  digest: z.string().describe('stands for the person in the operator’s log'),
  exported_at: z.iso.datetime(),
  records: z
    .record(z.string(), z.array(z.record(z.string(), z.unknown())))
    .describe('the rows of each table; `received`: lines of other buyers’ orders for this person'),
}));

export const personErased = strictObject(() => ({
  digest: z.string().describe('stands for the person in the operator’s log'),
  erased_orders: orderIds(),
  erased_offers: count().describe('over x402, that nobody paid'),
  erased_as_recipient: orderIds().describe('orders of other buyers'),
  kept: z
    .array(
      z.strictObject({
        order_id: z.string(),
        needed_for: z
          .array(z.enum(['order', 'payment', 'delivery', 'refund', 'webhook']))
          .describe('order: under way, or looked at for money that comes late'),
      }),
    )
    .describe('what still needs the person; run the command again later'),
}));

const decimal = lazy(() => z.string().regex(/^-?\d+(\.\d+)?$/));

export const sales = strictObject(() => ({
  key: z.string().nullable().describe('day, product id, partner or country; null of what has none'),
  name: z.string().nullable().describe('of the product; checkout for sales without a partner'),
  is_total: z.boolean(),
  coin: z.string(),
  lines: count(),
  gross: decimal(),
  refunds: decimal().describe(
    'owed or sent since; of sold lines, by the day that they were recorded',
  ),
  cost: decimal().nullable().describe('of the lines whose cost is known, at the rate of the sale'),
  cost_unknown: count().describe('lines without a known cost'),
  margin: decimal()
    .nullable()
    .describe('gross less refunds and cost; null while a cost is unknown'),
  fees: decimal().describe('network fees'),
  sweeps: decimal().describe('moved from receiving accounts to the treasury'),
  undelivered: decimal().nullable().describe('sold and not delivered, now; of totals alone'),
  refunds_due: decimal().nullable().describe('owed back and not sent, now; of totals alone'),
}));

export const saleLine = strictObject(() => ({
  kind: z.enum(['sale', 'refund', 'fee', 'sweep']),
  at: z.iso.datetime(),
  receipt: z.number().int().nullable().describe('number of the order’s receipt'),
  order_id: z.string().nullable(),
  line: count().nullable().describe('from 0'),
  partner_id: z.string().nullable(),
  product_id: z.string().nullable(),
  product: z.string().nullable(),
  country: z.string().nullable(),
  network: z.string().nullable(),
  coin: z.string(),
  amount: decimal(),
  transaction: z.string().nullable().describe('several with spaces between'),
  face_value: z.string().nullable(),
  currency: z.string().nullable().describe('of the face value'),
  rate: z.string().nullable().describe('USD for one unit of the currency, at the time of sale'),
  cost: z.string().nullable(),
  cost_currency: z.string().nullable(),
}));
