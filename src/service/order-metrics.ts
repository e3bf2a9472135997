/** Orders, refunds and webhooks that wait, for monitors. */

import { ORDER_STATES, type OrderState } from '../contract/codes.ts';
import type { Clock } from '../domain/clock.ts';
import type { OrderWait } from '../domain/operator-records.ts';
import { isTerminal } from '../domain/order-states.ts';
import { REFUND_WAITS } from '../domain/refund-record.ts';
import type { Store } from '../store/store.ts';
import type { Waiting } from '../store/tables/backlog.ts';
import type { DeliveryFault } from '../store/tables/deliveries.ts';
import { metricLines } from './prometheus.ts';

/** Many monitors cost no more than one. */
const FRESH_MS = 5_000;

// Safe: these are the keys of the table.
const UNDER_WAY = (Object.keys(ORDER_STATES) as OrderState[]).filter(
  (orderState) => !isTerminal({ orderState }),
);

/** What an order of the partner API waits for in a state; in the others, for its payment. */
const WAIT_OF: Partial<Record<OrderState, OrderWait['for']>> = {
  PaymentReceived: 'supplier',
  WaitingForDelivery: 'supplier',
  WaitingForManualAction: 'operator',
};

const LINE_FAULTS: readonly DeliveryFault[] = ['no_outcome', 'no_goods', 'used_code'];

/** Gives the lines, which stay the same for some seconds. */
export function createOrderMetrics(
  store: Pick<Store, 'tables'>,
  clock: Pick<Clock, 'now'>,
): () => Promise<readonly string[]> {
  let known: { readonly untilMs: number; readonly lines: Promise<readonly string[]> } | undefined;
  return () => {
    const nowMs = clock.now();
    if (known !== undefined && nowMs < known.untilMs) return known.lines;
    const lines = count(store, nowMs);
    known = { untilMs: nowMs + FRESH_MS, lines };
    return lines;
  };
}

async function count(
  { tables: { backlog } }: Pick<Store, 'tables'>,
  nowMs: number,
): Promise<readonly string[]> {
  const [partnerOrders, orders, payments, refunds, webhooks, webhookSinceMs, faulty] =
    await Promise.all([
      backlog.partnerOrders(UNDER_WAY),
      backlog.orders(),
      backlog.payments(),
      backlog.refunds(),
      backlog.webhooks(),
      backlog.oldestWebhook(),
      backlog.faultyLines(),
    ]);
  const byState = new Map(partnerOrders.map((row) => [row.orderState, row]));
  const inWait = (wait: OrderWait['for']) =>
    partnerOrders.filter(({ orderState }) => (WAIT_OF[orderState] ?? 'payment') === wait);
  const waits = {
    payment: [...inWait('payment'), payments],
    supplier: [...inWait('supplier'), orders],
    operator: inWait('operator'),
    refund: refunds,
    webhook: [{ sinceMs: webhookSinceMs }],
  } satisfies Partial<Record<OrderWait['for'], readonly Since[]>>;
  return [
    ...metricLines('scrip_orders', 'gauge', [
      ...UNDER_WAY.map((state) => ({
        labels: { surface: 'partner', state },
        value: byState.get(state)?.count ?? 0,
      })),
      { labels: { surface: 'checkout', state: 'processing' }, value: orders.count },
    ]),
    ...metricLines(
      'scrip_oldest_waiting_seconds',
      'gauge',
      Object.entries(waits).map(([wait, rows]) => ({
        labels: { for: wait },
        value: oldestSeconds(rows, nowMs),
      })),
    ),
    ...metricLines(
      'scrip_lines_without_goods',
      'gauge',
      LINE_FAULTS.map((fault) => ({
        labels: { fault },
        value: faulty.find((row) => row.fault === fault)?.count ?? 0,
      })),
    ),
    ...metricLines(
      'scrip_refunds_waiting',
      'gauge',
      REFUND_WAITS.map((wait) => ({
        labels: { for: wait },
        value: refunds.find(({ waitsFor }) => (waitsFor ?? 'turn') === wait)?.count ?? 0,
      })),
    ),
    ...metricLines(
      'scrip_webhooks_waiting',
      'gauge',
      webhooks.map(({ state, count: value }) => ({ labels: { state }, value })),
    ),
  ];
}

type Since = Pick<Waiting, 'sinceMs'>;

/** 0 if nothing waits. */
function oldestSeconds(rows: readonly Since[], nowMs: number): number {
  const ages = rows.flatMap(({ sinceMs }) => (sinceMs === null ? [] : [nowMs - sinceMs]));
  return Math.max(0, ...ages) / 1_000;
}
