/** Advances orders that wait for a payment, a compliance check, deliveries or support. */
import type { OrderState } from '../../contract/codes.ts';
import type { Clock } from '../../domain/clock.ts';
import { atomic, parseAtomic } from '../../domain/money.ts';
import type { PaymentWatch, Receipts, WatchedOrder } from '../../rails/payment-watch.ts';
import type { DeliveryRow } from '../../storage/checkout-orders.ts';
import type { PartnerOrderRow } from '../../storage/partner-orders.ts';
import type { Store, Tables } from '../../storage/store.ts';
import { type ComplianceReport, nextEvent, type Progress } from './progress.ts';
import { deadlineMs, nextLookAtMs } from './schedule.ts';
import { type PaymentSetup, setupEvent } from './setup.ts';
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

/** Checks all due orders; an error of one does not delay the others. */
export async function lookDue(deps: ReconcileDeps, limit: number): Promise<void> {
  const due = await deps.store.tables.partnerOrders.due(deps.clock.now(), limit);
  const results = await Promise.allSettled(due.map((row) => lookIfOurs(deps, row)));
  for (const result of results) if (result.status === 'rejected') deps.report?.(result.reason);
}

/** Books the next check first, so of two processes only one asks the chain. */
async function lookIfOurs(deps: ReconcileDeps, row: PartnerOrderRow): Promise<void> {
  const { store, clock } = deps;
  const booked = { ...row, nextLookAtMs: nextLookAtMs(row, clock.now()), version: row.version + 1 };
  const isOurs = await store.write(({ partnerOrders }) => partnerOrders.update(row, booked));
  if (isOurs) await lookAt(deps, booked, booked);
}

/**
 * Checks one order now. If its network is unreachable, nothing changes: an order never expires
 * without a check.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function lookAt(
  deps: ReconcileDeps,
  row: PartnerOrderRow,
  booked?: PartnerOrderRow,
): Promise<void> {
  const receipts = WATCHED.includes(row.orderState) ? await receiptsOf(deps, row) : undefined;
  await deps.store.write(async (tables) => {
    await tables.holds.take(`order ${row.orderId}`);
    await settleOrder(deps, tables, row.orderId, receipts);
    if (booked !== undefined && receipts !== undefined) {
      await putOff(deps, tables, { row: booked, receipts });
    }
  });
}

/**
 * If nothing arrived and payments are reported, postpones the next check to the deadline. Only
 * after a successful check, and not if the order changed or was woken meanwhile.
 */
async function putOff(
  { watch, clock }: ReconcileDeps,
  { partnerOrders }: Tables,
  { row, receipts }: { readonly row: PartnerOrderRow; readonly receipts: Receipts },
): Promise<void> {
  // An unconfirmed payment is not reported a second time.
  if (receipts.seenAtomic > receipts.confirmedAtomic) return;
  if (watch.news?.covers(watchedOrder(row)) !== true) return;
  const nextLookAtMs = deadlineMs(row, clock.now());
  if (nextLookAtMs === undefined) return;
  await partnerOrders.update(row, { ...row, nextLookAtMs, version: row.version + 1 });
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

/** Applies all due events of an order, within a write. */
export async function settleOrder(
  { clock, compliance, setup }: Pick<ReconcileDeps, 'clock' | 'compliance' | 'setup'>,
  tables: Tables,
  orderId: string,
  receipts?: Receipts,
): Promise<void> {
  const nowMs = clock.now();
  let row = await tables.partnerOrders.byId(orderId);
  for (let step = 0; row !== undefined && step < MOST_STEPS; step += 1) {
    const amounts = amountsAfter(row, receipts);
    const sinceMs = row.paymentState === 'WaitingForComplianceReport' ? row.updatedAtMs : nowMs;
    const report = compliance({ email: row.email, sinceMs, nowMs });
    const deliveries = await tables.deliveries.ofOrder(orderId);
    const observed = { amounts, deliveries, nowMs, compliance: report };
    const due = setupEvent(setup, setupOrder(row), nowMs - row.updatedAtMs);
    const event = nextEvent({ ...progressOf(row, observed), setup: due });
    if (event === undefined) return;
    row = await transitionOrder(tables, row, event, { ...amounts, atMs: nowMs });
  }
}

function setupOrder({
  orderState,
  paymentState,
  email,
  couponCode,
  coinAmountAtomic,
}: PartnerOrderRow): Parameters<typeof setupEvent>[1] {
  const isCovered = coinAmountAtomic === '0';
  return { orderState, paymentState, email, hasCoupon: couponCode !== null, isCovered };
}

type Amounts = Pick<PartnerOrderRow, 'receivedAtomic' | 'seenAtomic' | 'transactions'>;

/** Confirmed amounts never decrease, even if a node lags behind. */
function amountsAfter(row: PartnerOrderRow, receipts: Receipts | undefined): Amounts {
  const { receivedAtomic, seenAtomic, transactions } = row;
  if (receipts === undefined) return { receivedAtomic, seenAtomic, transactions };
  const received = larger(BigInt(receivedAtomic), receipts.confirmedAtomic);
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

interface Observed {
  readonly amounts: Amounts;
  readonly deliveries: readonly DeliveryRow[];
  readonly compliance: ComplianceReport;
  readonly nowMs: number;
}

function progressOf(row: PartnerOrderRow, observed: Observed): Progress {
  const { amounts, deliveries, compliance, nowMs } = observed;
  return {
    orderState: row.orderState,
    paymentState: row.paymentState,
    priceAtomic: parseAtomic(row.coinAmountAtomic),
    receivedAtomic: parseAtomic(amounts.receivedAtomic),
    seenAtomic: parseAtomic(amounts.seenAtomic),
    isReceivedNew: amounts.receivedAtomic !== row.receivedAtomic,
    isSeenNew: amounts.seenAtomic !== row.seenAtomic,
    compliance,
    deliveries,
    nowMs,
    windowEndsAtMs: row.windowEndsAtMs,
    changedAtMs: row.updatedAtMs,
  };
}

function larger(one: bigint, other: bigint): bigint {
  return atomic(one > other ? one : other);
}
