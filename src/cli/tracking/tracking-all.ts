/** `scrip track --all`: follows every open order of this machine at once. */

import type { FollowOptions, OrderSnapshot } from '../../api/merchant.ts';
import { sellerOf } from '../../api/merchants.ts';
import type { Fetch } from '../../contract/fetch.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText, ownText } from '../../domain/message/command-text.ts';
import { CODES, ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../../domain/message/message.ts';
import { type OpenOrder, openOrders } from '../../domain/order/open-order.ts';
import { hasPaymentNews, purchaseStatus, stateMeaning } from '../../domain/order/order-states.ts';
import { ordersCounted } from '../amount.ts';
import type { BuyerContext, With } from '../context.ts';
import { localSaid } from '../i18n/localize.ts';
import { readLedger } from '../orders/ledger.ts';
import { optionsFor, settingsAt } from '../orders/order-meant.ts';
import { isGrowing, recordLine, rowText } from '../output/fields.ts';
import { type Column, listView, PRINTED_ALREADY, type View } from '../output/view.ts';
import type { TrackedOrder } from '../schemas/purchase.ts';
import { scripDeps } from '../scrip-deps.ts';
import { type DeliveredOrder, type OnDelivery, tellDelivered } from './on-delivery.ts';

interface TrackAllOptions {
  readonly timeoutMs: number;
  readonly follow: FollowOptions['mode'] | undefined;
  readonly onDelivery: OnDelivery;
}

/** The partner API allows few streams; with more orders than this, they are polled. */
const MOST_STREAMS = 20;
/** Across all orders: about four requests a second in total. */
const ASK_EVERY_MS = 250;
const ASKED_AT_ONCE = 8;

/**
 * Ends when every order has ended; the exit code is the highest of theirs.
 * @throws {ScripError} JOURNAL_UNUSABLE, INTERRUPTED
 */
export async function trackAll(context: BuyerContext, options: TrackAllOptions): Promise<View> {
  const { entries, problem } = await readLedger(context);
  const { orders, withoutOrder } = openOrders(entries);
  const gate = createGate(context.parts.fetch, ASKED_AT_ONCE);
  const here = orders.flatMap((order) => {
    const settings = settingsAt(context.settings, order.intent.host);
    return settings === undefined
      ? []
      : [{ order, place: { ...context, settings, parts: { ...context.parts, fetch: gate } } }];
  });
  const watch = createWatcher(context, options.onDelivery);
  const follow = orders.length > MOST_STREAMS ? 'poll' : (options.follow ?? 'auto');
  const pace = { ...options, follow, leastPollMs: ASK_EVERY_MS * here.length } as const;
  const followed = await Promise.all(
    here.map(async ({ order, place }) => watch.ended(await followOne(place, order, pace, watch))),
  );
  await watch.told();
  const notes = [
    ...(orders.length === here.length ? [] : [elsewhere(context, orders)]),
    ...(withoutOrder === 0
      ? []
      : [commandText`Outcome unknown: ${withoutOrder}. Run: scrip orders resume`]),
  ];
  return viewOf(context, followed, notes, watch.failure() ?? problem);
}

type Pace = Omit<TrackAllOptions, 'follow'> & {
  readonly follow: FollowOptions['mode'];
  /** Minimum time between two requests for one order; it grows with the number of orders. */
  readonly leastPollMs: number;
};

/** A failure of one order does not stop the others. @throws {ScripError} INTERRUPTED */
async function followOne(
  context: BuyerContext,
  open: OpenOrder,
  { timeoutMs, leastPollMs, follow }: Pace,
  watch: Watcher,
): Promise<Followed> {
  const { orderId, merchantId, intent } = open;
  try {
    const merchant = await sellerOf(scripDeps(context), intent);
    if (merchant === undefined)
      throw new ScripError('INTERNAL', verbatim('No merchant for this order'));
    const snapshot = await merchant.follow(merchantId, {
      mode: follow,
      timeoutMs,
      leastPollMs,
      calledAs: orderId,
      // The end is printed later, once the codes are saved.
      seen: (read) => read.isOver || watch.seen(recordOf(context, open, read)),
      unanswered: (error) => watch.unanswered(recordOf(context, open, unread(error))),
    });
    const { error, status, document } = snapshot;
    const delivered = { orderId, state: status, order: document.order };
    const { refundsOf } = await import('../orders/shown-refunds.ts');
    const refunds = await refundsOf(context, merchant, { snapshot, merchantId });
    const returned = refunds.length > 0 && { refunds: [...refunds] };
    return { record: { ...recordOf(context, open, snapshot), ...returned }, error, delivered };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { record: recordOf(context, open, unread(error)), error, delivered: undefined };
  }
}

function unread(error: ScripError): Omit<OrderSnapshot, 'document'> {
  return { status: 'unknown', paymentState: null, error, isOver: false };
}

function recordOf(
  { parts: { clock } }: With<'parts'>,
  { orderId, intent }: OpenOrder,
  { status, paymentState, error, isOver }: Omit<OrderSnapshot, 'document'>,
): TrackedOrder {
  return {
    at: new Date(clock.now()).toISOString(),
    order_id: orderId,
    surface: intent.partner === undefined ? 'checkout' : 'partner',
    host: intent.host,
    product_name: intent.summary.productName,
    status,
    payment_state: paymentState,
    ended: isOver,
    error: error?.code ?? null,
  };
}

const COLUMNS: readonly Column<TrackedOrder>[] = [
  { header: t`ORDER`, cell: ({ order_id }) => order_id, isWhole: true },
  { header: t`STATUS`, cell: statusText },
];

function viewOf(
  { settings }: With<'settings'>,
  followed: readonly Followed[],
  notes: readonly Message[],
  failure: ScripError | undefined,
): View {
  const error = errorOf(followed) ?? failure;
  const delivered = followed.filter((one) => one.error === undefined).length;
  const sum =
    followed.length === 0
      ? t`No order of this machine is open.`
      : t`Delivered: ${delivered} of ${ordersCounted(followed.length)}.`;
  const note = [sum, ...notes];
  const more = error === undefined ? { note } : { note, error };
  const records = followed.map(({ record }) => record);
  if (isGrowing(settings.output)) return { ...PRINTED_ALREADY, ...more };
  return listView({ records, columns: COLUMNS, empty: note, ...more });
}

/** The failure with the highest exit code stands for all. */
function errorOf(followed: readonly Followed[]): ScripError | undefined {
  const failures = followed.flatMap(({ record, error }) =>
    error === undefined ? [] : [{ error, orderId: record.order_id }],
  );
  const [first] = failures.toSorted((one, other) => other.error.exit - one.error.exit);
  if (first === undefined || followed.length === 1) return first?.error;
  const { code, hint, fundsAtRisk } = first.error;
  const message = t`not delivered: ${failures.length} of ${ordersCounted(followed.length)}`;
  const riskiest = failures.find(({ error }) => error.fundsAtRisk !== 'none')?.error.fundsAtRisk;
  return new ScripError(code, message, {
    hint:
      CODES[code].hint === hint
        ? commandText`Check each one, such as: scrip track ${first.orderId}`
        : hint,
    fundsAtRisk: riskiest ?? fundsAtRisk,
    details: {
      orders: failures.map(({ error, orderId }) => ({ order_id: orderId, code: error.code })),
    },
  });
}

/** Orders of another profile's embedded service cannot be reached from here. */
function elsewhere({ settings }: With<'settings'>, orders: readonly OpenOrder[]): Message {
  const others = orders.filter(({ intent: { host } }) => settingsAt(settings, host) === undefined);
  const flags = optionsFor(settings, others) ?? '';
  return commandText`Others belong to other profiles; run the same with ${ownText(flags)}.`;
}

/** Limits requests until their response starts; an open stream does not count. */
export function createGate(fetch: Fetch, most: number): Fetch {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = (): Promise<void> => {
    running += 1;
    if (running <= most) return Promise.resolve();
    return new Promise((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (url, init) => {
    await enter();
    try {
      return await fetch(url, init);
    } finally {
      leave();
    }
  };
}

/** The last known state of an order. */
interface Followed {
  readonly record: TrackedOrder;
  /** Why it is no success; undefined once delivered. */
  readonly error: ScripError | undefined;
  /** Undefined if the order could never be read. */
  readonly delivered: DeliveredOrder | undefined;
}

type Watcher = ReturnType<typeof createWatcher>;

export function createWatcher(context: BuyerContext, onDelivery: OnDelivery) {
  const {
    settings,
    io: { stdout, stderr },
  } = context;
  const last = new Map<string, string>();
  const failures: ScripError[] = [];
  // One at a time: the output of parallel commands would mix.
  let telling: Promise<void> = Promise.resolve();
  const failed = expected((error) => {
    failures.push(error);
    if (!settings.isJson) stderr.write(rowText([context.io.localize(error.sentence)], stderr));
  }, 'EXEC_FAILED');
  const seen = (record: TrackedOrder): void => {
    const { order_id, payment_state, error, ended } = record;
    const { output } = settings;
    const isText = output.format !== 'ndjson';
    // Several of the merchant's states may be one in words.
    const status = isText ? localSaid(statusText(record), context.io.localize) : record.status;
    const standing = [status, isText ? '' : payment_state, ended, ended ? error : null].join(' ');
    if (last.get(order_id) === standing) return;
    last.set(order_id, standing);
    if (!isText) stdout.write(recordLine(record, output));
    else if (isGrowing(output)) stdout.write(rowText(cellsOf(record, status), stdout));
  };
  return {
    /** Prints the order if it has changed. */
    seen,
    /** Prints an order whose merchant cannot be asked now, unless its state was printed. */
    unanswered: (record: TrackedOrder) => last.has(record.order_id) || seen(record),
    /** Prints the final state, and runs the delivery actions. */
    ended(followed: Followed): Followed {
      const { delivered, error } = followed;
      seen(followed.record);
      if (delivered !== undefined && error === undefined)
        telling = telling.then(() => tellDelivered(context, onDelivery, delivered)).catch(failed);
      return followed;
    },
    /** Resolves when all delivery actions are done. */
    told: () => telling,
    /** The first of the user's commands that failed. */
    failure: () => failures[0],
  };
}

/** The word of `scrip orders`, and what it means for an order that is paid apart. */
function statusText({ status, payment_state, host, surface }: TrackedOrder): Said {
  if (surface === 'checkout' || payment_state === null) {
    return status === 'unknown' ? t`${status} (no answer from ${host})` : status;
  }
  const states = { orderState: status, paymentState: payment_state };
  const payment = hasPaymentNews(states) ? stateMeaning('payment', payment_state) : undefined;
  return t`${purchaseStatus(states)} (${payment ?? stateMeaning('order', status) ?? status})`;
}

function cellsOf(record: TrackedOrder, state: string) {
  const { at, order_id, status, product_name, error, refunds = [] } = record;
  return [
    at.slice(11, 19),
    order_id,
    state,
    product_name,
    ...(error === null || status !== 'unknown' ? [] : [error]),
    ...refunds.map(({ amount, coin, state, proof }) => `${amount} ${coin}: ${proof ?? state}`),
  ];
}
