/** `scrip track`: follows an order of either merchant to its end, or all open orders. */

import type { Command } from 'commander';
import type { FollowOptions, Merchant, OrderSnapshot } from '../../api/merchant.ts';
import { openMerchant } from '../../api/merchants.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { parseDuration } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import {
  offerPlayedPayment,
  stoppedAt,
  tellUnpaid,
  unpayableOrder,
} from '../ordering/payment-elsewhere.ts';
import { documentView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import { atRecordedHost, namedOrder, orderMeant, viewAt } from '../orders/order-meant.ts';
import { orderRecord, paymentWindow } from '../orders/payment-window.ts';
import { refundsOf, withRefunds } from '../orders/shown-refunds.ts';
import { recordLine } from '../output/fields.ts';
import type { RecordView, View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import {
  addDeliveryOptions,
  type DeliveryFlags,
  type OnDelivery,
  readOnDelivery,
  tellDelivered,
  toldWhileFollowed,
} from '../tracking/on-delivery.ts';

const OPTIONS = {
  '--all': 'all open orders of this machine, at once',
  '--timeout <time>': ['maximum wait, such as 90s or 10m; 0s asks once', '10m'],
  '--reveal':
    'print the code even when the output is not a terminal, and pass it to --exec; --json and --ndjson always print it',
  '--follow <way>': {
    what: 'how to follow a partner API order; with --json or --ndjson, one line per change',
    choices: ['sse', 'poll', 'auto'],
  },
} as const;

type TrackFlags = DeliveryFlags & FlagsOf<typeof OPTIONS>;

interface TrackOptions {
  /** As typed; undefined offers the latest. */
  readonly orderId: string | undefined;
  readonly timeoutMs: number;
  /** Undefined prints only the last state. */
  readonly follow: FollowOptions['mode'] | undefined;
  readonly onDelivery: OnDelivery;
}

export function register(command: Command, bind: Bind): void {
  addDeliveryOptions(
    addOptions(command, OPTIONS).argument(
      '[order_id]',
      'order id or its beginning, from scrip order or scrip orders; a terminal offers the latest',
    ),
  ).action((orderId: string | undefined, flags: TrackFlags) => bind(trackWork(orderId, flags)));
  addExamples(command, [
    'track <order_id>',
    'track <order_id> --timeout 90s --json',
    'track <order_id> --follow sse --timeout 30m --json',
    'track --all --bell --timeout 30m',
    "track <order_id> --exec 'tee delivered.json'",
  ]);
}

type Work = Parameters<Bind>[0];

/** @throws {ScripError} USAGE, INPUT_INVALID */
function trackWork(orderId: string | undefined, flags: TrackFlags): Work {
  const { timeout, follow, all = false, reveal = false } = flags;
  const timeoutMs = parseDuration(timeout);
  const onDelivery = readOnDelivery(flags);
  if (all) {
    if (orderId !== undefined) throw usage(t`Use either an order id or --all, not both`);
    return async (context) => {
      const { trackAll } = await import('../tracking/tracking-all.ts');
      return trackAll(context, { timeoutMs, follow, onDelivery });
    };
  }
  return async (context) => {
    if (orderId === undefined && !context.settings.mayPrompt) {
      throw usage(t`Missing required argument 'order_id'`);
    }
    const view = await run(context, { orderId, timeoutMs, follow, onDelivery });
    return forOutput(context, view, { isRevealed: reveal });
  };
}

function usage(message: Message): ScripError {
  return new ScripError('USAGE', message, {
    hint: t`Such as: scrip track <order_id>, or all that are open: scrip track --all`,
  });
}

async function run(context: BuyerContext, options: TrackOptions): Promise<View> {
  const { timeoutMs, follow, onDelivery } = options;
  const { output } = context.settings;
  const isWritten =
    output.format === 'ndjson' || (output.format === 'json' && follow !== undefined);
  const named = await namedOrder(context, await orderMeant(context, options.orderId, ['track']));
  const { orderId, merchantId } = named;
  const place = atRecordedHost(context, named);
  const deps = scripDeps({ ...context, settings: place });
  const merchant = await openMerchant(deps, named.merchant);
  if (timeoutMs > 0 && output.format === 'text' && context.settings.mayPrompt) {
    await offerPayment({ ...context, settings: place }, merchant, merchantId);
  }
  const write = isWritten ? writeChanges(context) : () => undefined;
  const window = paymentWindow({ ...context, settings: place });
  const told = toldWhileFollowed(context, { orderId, window, isWaiting: timeoutMs > 0 });
  const snapshot = await merchant
    .follow(merchantId, {
      mode: follow ?? 'auto',
      timeoutMs,
      calledAs: orderId,
      seen: (read) => {
        write(read);
        told.seen(read);
      },
      reconnecting: told.reconnecting,
      unanswered: told.unanswered,
    })
    .finally(() => told.settled())
    .catch((failure: unknown) => {
      throw stoppedAt(failure, orderId);
    });
  const { document, error, status } = snapshot;
  const { order } = document;
  const refunds = await refundsOf({ ...context, settings: place }, merchant, {
    snapshot,
    merchantId,
  });
  deps.progress.done();
  const view = withRefunds(await documentView(document, error, window), refunds, orderId);
  if (isWritten && refunds.length > 0) context.io.stdout.write(recordLine(view.record, output));
  const shown = viewAt(context.settings, place, { ...view, isWritten });
  return toldOf(context, shown, onDelivery, { orderId, state: status, order });
}

/** Offers to simulate the payment of an order that no wallet can pay. @throws {ScripError} as the offer */
async function offerPayment(
  context: BuyerContext,
  merchant: Merchant,
  merchantId: string,
): Promise<void> {
  if (!context.settings.isEmbedded) return;
  const read = await merchant.follow(merchantId, { mode: 'poll', timeoutMs: 0 });
  const order = unpayableOrder(context, read);
  if (order === undefined) return;
  await tellUnpaid(context, order);
  await offerPlayedPayment(context, order);
}

/** Writes a line of JSON each time the order changes. */
function writeChanges({ io, settings }: With<'settings' | 'io'>) {
  const state = { last: '' };
  return ({ document }: OrderSnapshot): void => {
    const record = document.form === 'partner' ? orderRecord(document.order) : document.order;
    const line = recordLine(record, settings.output);
    if (line !== state.last) io.stdout.write(line);
    state.last = line;
  };
}

/** Runs the delivery actions after the order was printed, if it was delivered. */
function toldOf(
  context: BuyerContext,
  view: RecordView,
  onDelivery: OnDelivery,
  delivered: Parameters<typeof tellDelivered>[2],
): RecordView {
  if (view.error !== undefined) return view;
  return { ...view, after: () => tellDelivered(context, onDelivery, delivered) };
}
