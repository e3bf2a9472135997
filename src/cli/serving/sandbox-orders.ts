/** `scrip sandbox pay`, `cancel`, `refund` and others: simulates events of a partner API order. */

import type { Command } from 'commander';
import { callPartner } from '../../api/partner/partner.ts';
import { partnerHost } from '../../api/partner/place.ts';
import { paySandboxOrder, pressSandboxButton } from '../../contract/sandbox-orders.ts';
import { webhookProblem } from '../../domain/address/webhook-address.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, sentence, t } from '../../domain/message/message.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import {
  LATEST_EVENT,
  orderUpdatedBody,
  PLAYED_EVENTS,
  type PlayedEvent,
} from '../../domain/order/played-event.ts';
import { hex, uuid } from '../../domain/uuid.ts';
import { checkPlainDecimal } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { forOutput } from '../orders/codes.ts';
import { checkPartnerOrderId } from '../orders/ledger.ts';
import { orderMeant } from '../orders/order-meant.ts';
import { partnerOrderView } from '../orders/partner-order.ts';
import { listView, type RecordView, type View } from '../output/view.ts';
import type { PlayedEventRecord, TriggeredRecord } from '../schemas/serve.ts';
import { scripDeps } from '../scrip-deps.ts';
import { refuseServing, SANDBOX, showPlace } from './operated.ts';

interface PayFlags {
  readonly amount?: string;
  readonly fail?: boolean;
}

const AT_SERVER = t`It asks the sandbox that serves the order: name that with --api-url, or --profile.`;

const ACTIONS = {
  cancel: 'cancel an unpaid order',
  refund: 'refund an order',
  resolve: 'remove what holds an order up',
  close: 'close a partly delivered order',
  clear: 'let a payment pass the compliance check',
} as const;
type Action = keyof typeof ACTIONS;

export function declareSandboxOrders(command: Command, bind: Bind): void {
  const pay = command
    .command('pay')
    .description('simulate the payment of an order on a network the sandbox does not run')
    .argument('<order_id>', 'its id, or the beginning of it')
    .option('--amount <amount>', 'pay only this much, in the coin of the order')
    .option('--fail', 'the payment fails on its network')
    .action((id: string, flags: PayFlags, self: Command) => {
      refuseServing(self, { hint: AT_SERVER });
      if (flags.amount !== undefined) checkPlainDecimal(flags.amount);
      return bind(async (context) => playPayment(context, await meant(context, id, 'pay'), flags));
    });
  addExamples(pay, ['sandbox pay <order_id>', 'sandbox pay <order_id> --amount 0.0001']);
  // Safe: these are the keys of the table.
  for (const name of Object.keys(ACTIONS) as Action[]) {
    const action = command
      .command(name)
      .description(ACTIONS[name])
      .argument('<order_id>', 'its id, or the beginning of it')
      .action((id: string, _flags: unknown, self: Command) => {
        refuseServing(self, { hint: AT_SERVER });
        return bind(async (context) => press(context, await meant(context, id, name), name));
      });
    addExamples(action, [`sandbox ${name} <order_id>`]);
  }
}

/** @throws {ScripError} INPUT_INVALID for an order of the checkout host */
async function meant(context: BuyerContext, id: string, action: string): Promise<string> {
  return checkPartnerOrderId(await orderMeant(context, id, ['sandbox', action]));
}

async function playPayment(context: BuyerContext, orderId: string, flags: PayFlags): Promise<View> {
  try {
    const order = await callPartner(partnerHost(scripDeps(context)), paySandboxOrder, {
      order_id: orderId,
      amount: flags.amount,
      fail: flags.fail,
    });
    const isOver = isTerminal({ orderState: order.order_state });
    const note = commandText`To keep waiting: scrip track ${orderId}`;
    const view = { ...(!isOver && { note }), ...(await partnerOrderView(order)) };
    return forOutput(context, view, { isRevealed: false });
  } catch (error) {
    if (!(error instanceof ScripError) || error.details.detail !== 'PAY_ON_CHAIN') throw error;
    throw new ScripError(
      'ORDER_NOT_PAYABLE',
      t`This order is paid by a transfer on the sandbox’s chain, not by a simulated one`,
      { cause: error, hint: commandText`Run: scrip pay ${orderId}` },
    );
  }
}

async function press(context: BuyerContext, orderId: string, action: Action): Promise<View> {
  const host = partnerHost(scripDeps(context));
  const order = await callPartner(host, pressSandboxButton, { order_id: orderId, action });
  return forOutput(context, await partnerOrderView(order), { isRevealed: false });
}

// * `scrip sandbox trigger`: sends a simulated event to a URL, or an order's webhook again to its callback URL.

interface TriggerFlags {
  readonly to?: string;
  readonly order?: string;
  /** The option of `scrip sandbox`, also if it is typed after `trigger`. */
  readonly data?: string;
  readonly database?: string;
}

export function declareSandboxTrigger(command: Command, bind: Bind): void {
  const trigger = showPlace(command.command('trigger'), SANDBOX)
    .description('send a signed test webhook; without an event, list the events')
    .argument('[event]', 'such as checkout.completed or partner.done')
    .option('--to <url>', 'the endpoint (default: the order’s callback address)')
    .option('--order <order_id>', 'order to name in the webhook (default: an invented one)')
    .action((event: string | undefined, _flags: unknown, self: Command) => {
      const flags = self.optsWithGlobals<TriggerFlags>();
      refuseServing(self, {
        used: ['data', 'database'],
        hint: t`It reads the folder of --data, and the database of --database.`,
      });
      return bind(triggerWork(event, flags));
    });
  addExamples(trigger, [
    'sandbox trigger',
    'sandbox trigger checkout.completed --to http://127.0.0.1:4022',
    'sandbox trigger partner.done --to http://127.0.0.1:4022 --order <order_id> --json',
    'sandbox trigger order.updated --order <order_id>',
  ]);
}

/** Chooses the work for the given options. @throws {ScripError} USAGE, INPUT_INVALID */
function triggerWork(name: string | undefined, flags: TriggerFlags): Parameters<Bind>[0] {
  if (name === undefined) return async () => eventList();
  const event = eventOf(name);
  const { to, order } = flags;
  if (event !== undefined && to !== undefined) {
    const problem = webhookProblem(to, { isPrivateAllowed: true });
    if (problem !== undefined) throw new ScripError('INPUT_INVALID', t`--to is ${problem}`);
    return (context) => play(context, event, { ...flags, to });
  }
  if (order === undefined || to !== undefined) throw unaddressed(name);
  return (context) => resend(context, event, { ...flags, order });
}

/** The event to simulate; undefined for the order's last real change. @throws {ScripError} INPUT_INVALID */
function eventOf(name: string): PlayedEvent | undefined {
  const event = PLAYED_EVENTS.find((known) => known.event === name);
  if (event !== undefined || name === LATEST_EVENT) return event;
  throw new ScripError('INPUT_INVALID', t`"${name}" is not an event that can be triggered`, {
    hint: t`List them: scrip sandbox trigger`,
    details: { events: [LATEST_EVENT, ...PLAYED_EVENTS.map((known) => known.event)] },
  });
}

function unaddressed(name: string): ScripError {
  return name === LATEST_EVENT
    ? new ScripError(
        'USAGE',
        t`${name} is sent to the callback address of the order named with --order`,
        { hint: t`To send to another address, name the event: scrip sandbox trigger` },
      )
    : new ScripError('USAGE', t`No address to send the event to`, {
        hint: t`Name an address with --to, or an order that names one with --order.`,
      });
}

const LATEST = t`the last change of --order, sent again to its callback address`;

function eventList(): View {
  const played = PLAYED_EVENTS.map(({ event, surface, facts, what }) => ({
    ...{ event, surface, what: String(what) },
    says: Object.values(facts).join(', '),
  }));
  const latest = { event: LATEST_EVENT, surface: null, says: null, what: String(LATEST) };
  return listView<PlayedEventRecord>({
    records: [...played, latest],
    columns: [
      { header: t`EVENT`, cell: ({ event }) => event, isWhole: true },
      { header: t`STATES`, cell: ({ says }) => says ?? '', dropOrder: 1 },
      { header: t`MEANING`, cell: ({ what }) => sentence(what) },
    ],
  });
}

/** Sends the webhook at once. @throws {ScripError} WEBHOOK_NOT_TAKEN, after printing the record */
async function play(
  context: With<'settings' | 'io' | 'parts' | 'serving'>,
  { event, surface, facts }: PlayedEvent,
  { to, order, data }: TriggerFlags & { readonly to: string },
): Promise<RecordView> {
  const { parts, settings, serving } = context;
  const { webhooks } = serving;
  const keys = await webhooks.sandboxSecrets(data ?? settings.sandboxDir);
  const atMs = parts.clock.now();
  const orderId = order ?? inventedOrder(context, surface);
  const webhookId = newId(context);
  const body = orderUpdatedBody({ orderId, atMs, facts, seq: seqOf(event, surface) });
  const applicationId = surface === 'partner' ? settings.partnerId : undefined;
  const headers = await keys.headersOf({ webhookId, orderId, applicationId, body, atMs });
  const send = await webhooks.sender({ isAnywhere: true });
  context.io.progress.step(t`Sending to ${to}`);
  const sent = await send({ url: to, headers, body });
  context.io.progress.done();
  const status = 'status' in sent ? sent.status : null;
  const failure = 'failure' in sent ? sent.failure : null;
  return triggeredView(
    { event, webhook_id: webhookId, order_id: orderId, url: to, queued: false, status, failure },
    status === null ? t`no answer (${failure ?? ''})` : t`it answered ${status}`,
  );
}

/** A plausible sequence number: the event's position among the events of its merchant. */
function seqOf(event: string, surface: PlayedEvent['surface']): number {
  const mine = PLAYED_EVENTS.filter((one) => one.surface === surface);
  return mine.findIndex((one) => one.event === event) + 1;
}

/** Queues the webhook for the order's callback URL; the sandbox that serves the folder sends it. */
async function resend(
  context: With<'parts' | 'serving'>,
  event: PlayedEvent | undefined,
  { order: orderId, data, database }: TriggerFlags & { readonly order: string },
): Promise<RecordView> {
  const admin = await context.serving.openSandboxAdmin({ dataDir: data, database });
  try {
    const request = { orderId, facts: event?.facts, webhookId: newId(context) };
    const { webhook_id, url } = await admin.webhooks.resend(request);
    const queued = { queued: true, status: null, failure: null } as const;
    return triggeredView(
      { event: event?.event ?? LATEST_EVENT, webhook_id, order_id: orderId, url, ...queued },
      t`a running sandbox on this folder sends it now; otherwise it is sent when one starts`,
    );
  } finally {
    await admin.close();
  }
}

function triggeredView(record: TriggeredRecord, outcome: Message): RecordView {
  const { event, webhook_id, order_id, url, queued, status } = record;
  const isTaken = queued || (status !== null && status >= 200 && status < 300);
  const error = new ScripError('WEBHOOK_NOT_TAKEN', t`${url} did not accept ${event}: ${outcome}`, {
    details: { status, failure: record.failure },
  });
  return {
    kind: 'record',
    record,
    lines: [
      [t`Event`, event],
      [t`Webhook`, webhook_id],
      [t`Order`, order_id],
      [t`To`, url],
      [t`Outcome`, outcome],
    ],
    ...(isTaken ? {} : { error }),
  };
}

function newId({ parts: { random } }: With<'parts'>): string {
  return `msg_played_${hex(random(8))}`;
}

function inventedOrder(
  { parts: { random } }: With<'parts'>,
  surface: PlayedEvent['surface'],
): string {
  return surface === 'partner' ? uuid(random(16)) : `cr_played${hex(random(8))}`;
}
