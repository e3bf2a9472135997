/** What only a shop with real parts has to tell monitors: its supplier, wallets and nodes. */

import { ORDER_STATES, type OrderState } from '../contract/codes.ts';
import { REFUND_WAITS } from '../contract/operator-states.ts';
import { USDC_DECIMALS } from '../contract/x402.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { atomic, formatDecimal } from '../domain/money/money.ts';
import type { OrderWait } from '../domain/operator/operator-records.ts';
import { isTerminal } from '../domain/order/order-states.ts';
import type { ShopRail } from '../rails/merchant-rail.ts';
import type { Supplier } from '../service/delivery/supplier.ts';
import { createHistogram, metricLines, type Sample } from '../service/http/observation.ts';
import type { Store } from '../store/store.ts';
import type { Waiting } from '../store/tables/backlog.ts';
import type { DeliveryFault } from '../store/tables/deliveries.ts';

export interface ShopMetricsOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** The first one's lines have no label. */
  readonly places: readonly MeasuredPlace[];
  /** When the certificate of the public address ends; undefined where there is none. */
  certificateEndsAtMs?(): Promise<number | undefined>;
}

interface MeasuredPlace {
  readonly rail: Pick<ShopRail, 'network' | 'feeAccount' | 'usdcOf' | 'heads'>;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: string | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function createShopMetrics(options: ShopMetricsOptions) {
  const { store, clock } = options;
  const ofOrders = createOrderMetrics(store, clock);
  const answers = new Map<string, Sample & { value: number }>();
  const seconds = createHistogram('scrip_supplier_request_seconds', 'call');
  let sampled: readonly string[] = [];
  let errorsInARow = 0;
  const certificate = createCertificateLine(options);
  const timed = async <Answer>(
    call: 'stock' | 'purchase',
    ask: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => string,
  ): Promise<Answer> => {
    const startedAtMs = clock.now();
    const note = (outcome: string) => {
      const key = `${call} ${outcome}`;
      const one = answers.get(key) ?? { labels: { call, outcome }, value: 0 };
      answers.set(key, { ...one, value: one.value + 1 });
      seconds.note(call, (clock.now() - startedAtMs) / 1_000);
    };
    try {
      const answer = await ask();
      note(outcomeOf(answer));
      errorsInARow = 0;
      return answer;
    } catch (error) {
      note('error');
      errorsInARow += 1;
      throw error;
    }
  };
  return {
    /** Counts what the supplier answers, and how long it takes. */
    around: (supplier: Supplier): Supplier => ({
      check: (request) =>
        timed(
          'stock',
          () => supplier.check(request),
          (answer) => answer,
        ),
      fulfil: (reference, request) =>
        timed(
          'purchase',
          () => supplier.fulfil(reference, request),
          ({ outcome }) => outcome,
        ),
    }),
    /** Reads balances and slots: a monitor never waits for the chain. */
    async sample() {
      const lines = await Promise.all([chainLines(options.places), certificate()]);
      sampled = lines.flat();
    },
    lines: async () => [
      ...(await ofOrders()),
      ...metricLines('scrip_supplier_requests_total', 'counter', [...answers.values()]),
      ...seconds.lines(),
      ...metricLines('scrip_supplier_errors_in_a_row', 'gauge', [{ value: errorsInARow }]),
      ...sampled,
    ],
  };
}

/** Looked at each hour; what cannot be looked at is left out. */
function createCertificateLine({ clock, certificateEndsAtMs }: ShopMetricsOptions) {
  let endsAtMs: number | undefined;
  let nextAtMs = 0;
  return async (): Promise<readonly string[]> => {
    if (clock.now() >= nextAtMs) {
      nextAtMs = clock.now() + HOUR_MS;
      endsAtMs = await certificateEndsAtMs?.();
    }
    if (endsAtMs === undefined) return [];
    const value = Math.floor((endsAtMs - clock.now()) / DAY_MS);
    return metricLines('scrip_certificate_days', 'gauge', [{ value }]);
  };
}

/** Metrics of all places. */
async function chainLines(places: readonly MeasuredPlace[]): Promise<readonly string[]> {
  const told = await Promise.all(
    places.map((place, index) =>
      chainSamples(place, index === 0 ? {} : { network: place.rail.network }),
    ),
  );
  const names = new Set(told.flat().map(({ name }) => name));
  return [...names].flatMap((name) =>
    metricLines(
      name,
      'gauge',
      told.flat().filter((one) => one.name === name),
    ),
  );
}

/** What cannot be read is left out, so that an alert on its absence fires. */
async function chainSamples({ rail, refundWallet }: MeasuredPlace, labels: Sample['labels'] = {}) {
  const [fee, held, [block, witnessBlock]] = await Promise.all([
    unlessAway(() => rail.feeAccount()),
    refundWallet === undefined ? undefined : unlessAway(() => rail.usdcOf([refundWallet])),
    rail.heads(),
  ]);
  const gauge = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [{ name, labels, value }];
  const decimal = (amount: bigint, decimals: number) => formatDecimal(atomic(amount), decimals);
  const isBoth = block !== undefined && witnessBlock !== undefined;
  return [
    ...(fee === undefined
      ? []
      : gauge(`scrip_fee_payer_${fee.coin.toLowerCase()}`, decimal(fee.balance, fee.decimals))),
    ...gauge('scrip_refund_wallet_usdc', held && decimal(held[0] ?? 0n, USDC_DECIMALS)),
    ...gauge('scrip_chain_finalized_slot', block),
    ...gauge('scrip_chain_lag_slots', isBoth ? Math.max(0, witnessBlock - block) : undefined),
  ];
}

function unlessAway<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  return read().catch(expected(() => undefined));
}

// Orders, refunds and webhooks that wait, for monitors.

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

/** The fifth try of a webhook comes after more than two hours. */
const FAILING_ATTEMPTS = 4;

/** Gives the lines, which stay the same for some seconds. */
function createOrderMetrics(
  store: Store,
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

async function count({ tables: { backlog } }: Store, nowMs: number): Promise<readonly string[]> {
  const [partnerOrders, orders, payments, refunds, webhooks, webhookSinceMs, failing, faulty] =
    await Promise.all([
      backlog.partnerOrders(UNDER_WAY),
      backlog.orders(),
      backlog.payments(),
      backlog.refunds(),
      backlog.webhooks(),
      backlog.oldestWebhook(),
      backlog.failingWebhooks(FAILING_ATTEMPTS, nowMs - DAY_MS),
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
    ...metricLines('scrip_webhooks_failing', 'gauge', [{ value: failing.count }]),
  ];
}

type Since = Pick<Waiting, 'sinceMs'>;

/** 0 if nothing waits. */
function oldestSeconds(rows: readonly Since[], nowMs: number): number {
  const ages = rows.flatMap(({ sinceMs }) => (sinceMs === null ? [] : [nowMs - sinceMs]));
  return Math.max(0, ...ages) / 1_000;
}
