/** Advances orders that wait for a payment, a compliance check, deliveries or support. */
import type { OrderState } from '../../../contract/codes.ts';
import type { Clock } from '../../../domain/clock.ts';
import { ScripError } from '../../../domain/message/errors.ts';
import { t } from '../../../domain/message/message.ts';
import { atomic, parseAtomic } from '../../../domain/money/money.ts';
import { isTerminal } from '../../../domain/order/order-states.ts';
import type { OrderEvent } from '../../../domain/order/order-transitions.ts';
import {
  changedOrders,
  type KnownOrder,
  type PaymentWatch,
  type Receipts,
  type WatchedOrder,
} from '../../../rails/merchant-rail.ts';
import type { Store, Tables } from '../../../store/store.ts';
import type { DeliveryRow } from '../../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { SINGLE } from '../../../store/writes.ts';
import { leaseDue } from '../../lease-due.ts';
import {
  type ComplianceReport,
  deadlineMs,
  nextEvent,
  nextLookAtMs,
  type PaymentSetup,
  setupEvent,
} from './progress.ts';
import { transitionOrder } from './transition.ts';

/** Checks a payment; `sinceMs` is when the check began, or now if it has not. */
export type Compliance = (order: {
  readonly email: string;
  readonly sinceMs: number;
  readonly nowMs: number;
}) => ComplianceReport;

/** Makes no compliance checks. */
export const unchecked: Compliance = () => 'none';

export interface ReconcileDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly watch: PaymentWatch;
  readonly compliance: Compliance;
  readonly setup: PaymentSetup;
  report?(error: unknown): void;
}

/** More steps than any order takes at once. */
const MOST_STEPS = 8;

/** States in which money may arrive at the order's address; in the last, if its refund was of a late payment. */
const WATCHED: readonly OrderState[] = [
  'WaitingForPayment',
  'PaymentStarted',
  'PaymentFailed',
  'Expired',
  'Canceled',
  'Refunded',
];

/** Name of the mark up to which payment news were read. */
const HEARD = 'payments heard';

/**
 * Makes orders due whose address received something. Two processes may do this at once: it only
 * causes an extra check.
 */
export async function hearNews({ store, clock, watch, report }: ReconcileDeps): Promise<void> {
  if (watch.news === undefined) return;
  try {
    const mark = await store.tables.facts.get(HEARD);
    const news = await watch.news.since(mark);
    if (news.mark === mark) return;
    await store.write(async ({ facts, partnerOrders }) => {
      await facts.set(HEARD, news.mark);
      await partnerOrders.wake({ addresses: news.addresses }, clock.now());
    });
  } catch (error) {
    report?.(error);
  }
}

/** How long one server has an order to itself; it gives the order back once it has checked it. */
const LEASE_MS = 10_000;

/**
 * Checks due orders. Those that received nothing and wait on cost one call per hundred, and one
 * write for all. An error of one does not delay the others. Returns whether there were any.
 */
export async function lookDue(deps: ReconcileDeps, limit: number): Promise<boolean> {
  const { store, clock, watch } = deps;
  const atMs = clock.now();
  const term = { atMs, untilMs: atMs + LEASE_MS, limit };
  const leased = await leaseDue(store, ({ partnerOrders }) => partnerOrders, term);
  if (leased.length === 0) return false;
  const [watched, others] = split(leased, ({ orderState }) => WATCHED.includes(orderState));
  const changed = await changedOf(deps, watched);
  const [quiet, moved] = split(
    watched,
    (row) => changed?.has(row.orderId) === false && dueEvent(deps, row, []) === undefined,
  );
  // If the balances are unknown, the orders that wait for a payment wait on.
  const asked = changed === undefined ? others : [...others, ...moved];
  const failed = changed === undefined ? watched : [];
  const results = await Promise.allSettled(asked.map((row) => lookAt(deps, row, row)));
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') continue;
    deps.report?.(result.reason);
    failed.push(...asked.slice(index, index + 1));
  }
  const nowMs = clock.now();
  const looks = [
    ...quiet.map((row) => ({ ...row, nextLookAtMs: quietLookAtMs(watch, row, nowMs) })),
    ...failed.map((row) => ({ ...row, nextLookAtMs: nextLookAtMs(row, nowMs) })),
  ].map(({ orderId, version, nextLookAtMs }) => ({ orderId, version, nextLookAtMs }));
  if (looks.length > 0)
    await store.write(({ partnerOrders }) => partnerOrders.putOff(looks), SINGLE);
  return true;
}

function split<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [Item[], Item[]] {
  const both: [Item[], Item[]] = [[], []];
  for (const item of items) both[isFirst(item) ? 0 : 1].push(item);
  return both;
}

/** Ids of the orders whose receipts may differ from what they have on record; undefined if unknown. */
async function changedOf(
  { watch, report }: ReconcileDeps,
  rows: readonly PartnerOrderRow[],
): Promise<ReadonlySet<string> | undefined> {
  try {
    return await changedOrders(watch, rows.map(knownOrder));
  } catch (error) {
    report?.(error);
    return undefined;
  }
}

/** What an order that is over received may have been moved meanwhile: any balance is a reason to look. */
function knownOrder(row: PartnerOrderRow): KnownOrder {
  const seenAtomic = parseAtomic(isTerminal(row) ? '0' : row.seenAtomic);
  return { ...watchedOrder(row), seenAtomic, isConfirmed: row.receivedAtomic === row.seenAtomic };
}

/** When to check an order that received nothing new; later where payments are reported. */
function quietLookAtMs(watch: PaymentWatch, row: PartnerOrderRow, nowMs: number): number | null {
  const isReported = watch.news?.covers(watchedOrder(row)) === true;
  return (isReported ? deadlineMs(row, nowMs) : undefined) ?? nextLookAtMs(row, nowMs);
}

/**
 * Checks one order now. If its network is unreachable, nothing changes: an order never expires
 * without a check.
 * @param leased the order as it was leased; without a change it is given back
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function lookAt(
  deps: ReconcileDeps,
  row: PartnerOrderRow,
  leased?: PartnerOrderRow,
): Promise<void> {
  const receipts = WATCHED.includes(row.orderState) ? await receiptsOf(deps, row) : undefined;
  const events = await deps.store.write(async (tables) => {
    await tables.holds.take(`order ${row.orderId}`);
    const applied = await settleOrder(deps, tables, row.orderId, receipts);
    if (leased === undefined) return applied;
    // Does nothing if the order changed, or was woken meanwhile.
    const nextLookAtMs = lookAfter(deps, leased, receipts);
    await tables.partnerOrders.putOff([{ ...leased, nextLookAtMs }]);
    return applied;
  });
  if (events.includes('payment_unexplained')) deps.report?.(unexplained(row, receipts));
}

function unexplained({ orderId, walletAddress }: PartnerOrderRow, receipts?: Receipts): ScripError {
  const amount = receipts?.unexplainedAtomic ?? 0n;
  return new ScripError(
    'MERCHANT_ERROR',
    t`Order ${orderId} is held for a person: ${walletAddress ?? ''} holds ${amount} units of its coin that no transaction shown by the RPC explains`,
    {
      hint: t`Look at the account in an explorer, and use an RPC node that keeps the history.`,
      details: { subject: `unexplained ${orderId}` },
    },
  );
}

/** An unconfirmed payment is not reported a second time, so it is looked for. */
function lookAfter(
  { watch, clock }: ReconcileDeps,
  row: PartnerOrderRow,
  receipts: Receipts | undefined,
): number | null {
  const isOpen = receipts !== undefined && receipts.seenAtomic > receipts.confirmedAtomic;
  return isOpen || receipts === undefined
    ? nextLookAtMs(row, clock.now())
    : quietLookAtMs(watch, row, clock.now());
}

function receiptsOf({ watch }: ReconcileDeps, row: PartnerOrderRow): Promise<Receipts> {
  return watch.received(watchedOrder(row));
}

/** The part of an order that a payment watch needs. */
export function watchedOrder({
  orderId,
  coin,
  network,
  walletAddress,
}: PartnerOrderRow): WatchedOrder {
  return { orderId, coin, network, address: walletAddress };
}

/** Applies all due events of an order, within a write; returns them. */
export async function settleOrder(
  deps: Pick<ReconcileDeps, 'clock' | 'compliance' | 'setup'>,
  tables: Tables,
  orderId: string,
  receipts?: Receipts,
): Promise<readonly OrderEvent[]> {
  const nowMs = deps.clock.now();
  const applied: OrderEvent[] = [];
  let row = await tables.partnerOrders.byId(orderId);
  for (let step = 0; row !== undefined && step < MOST_STEPS; step += 1) {
    const deliveries = await tables.deliveries.ofOrder(orderId);
    const event = dueEvent(deps, row, deliveries, receipts);
    if (event === undefined) break;
    const amounts = amountsAfter(row, receipts, event);
    row = await transitionOrder(tables, row, event, { ...amounts, atMs: nowMs });
    applied.push(event);
  }
  return applied;
}

/** The event that is due for an order with these deliveries; without receipts, none were looked for. */
function dueEvent(
  { clock, compliance, setup }: Pick<ReconcileDeps, 'clock' | 'compliance' | 'setup'>,
  row: PartnerOrderRow,
  deliveries: readonly DeliveryRow[],
  receipts?: Receipts,
): OrderEvent | undefined {
  const nowMs = clock.now();
  const { orderState, paymentState, updatedAtMs: changedAtMs, windowEndsAtMs, email } = row;
  const { receivedAtomic, seenAtomic } = amountsAfter(row, receipts);
  const sinceMs = paymentState === 'WaitingForComplianceReport' ? changedAtMs : nowMs;
  return nextEvent({
    ...{ orderState, paymentState, deliveries, nowMs, windowEndsAtMs, changedAtMs },
    priceAtomic: parseAtomic(row.coinAmountAtomic),
    receivedAtomic: parseAtomic(receivedAtomic),
    seenAtomic: parseAtomic(seenAtomic),
    unexplainedAtomic: receipts?.unexplainedAtomic ?? 0n,
    isReceivedNew: receivedAtomic !== row.receivedAtomic,
    isSeenNew: seenAtomic !== row.seenAtomic,
    compliance: compliance({ email, sinceMs, nowMs }),
    setup: setupEvent(setup, row, nowMs - changedAtMs),
  });
}

type Amounts = Pick<PartnerOrderRow, 'receivedAtomic' | 'seenAtomic' | 'transactions'>;

/** Confirmed amounts never decrease, even if a node lags behind. */
function amountsAfter(
  row: PartnerOrderRow,
  receipts: Receipts | undefined,
  event?: OrderEvent,
): Amounts {
  const { receivedAtomic, seenAtomic, transactions } = row;
  if (receipts === undefined) return { receivedAtomic, seenAtomic, transactions };
  const { confirmedAtomic, unexplainedAtomic = 0n } = receipts;
  // What a person decides about is all that is there: a refund gives it back whole.
  const held = event === 'payment_unexplained' ? unexplainedAtomic : 0n;
  const received = larger(BigInt(receivedAtomic), confirmedAtomic + held);
  return {
    receivedAtomic: received.toString(),
    seenAtomic: larger(received, receipts.seenAtomic).toString(),
    transactions: mergeTransactions(transactions, receipts.transactions),
  };
}

function mergeTransactions(known: string, seen: readonly string[]): string {
  const before: readonly string[] = JSON.parse(known);
  return JSON.stringify([...new Set([...before, ...seen])]);
}

function larger(one: bigint, other: bigint): bigint {
  return atomic(one > other ? one : other);
}
