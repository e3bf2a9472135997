/**
 * The sales of a shop for its accountant. Each paid order of either surface is recorded once, under the next receipt
 * number; what its claims cost is asked of the chain.
 */

import { BASE, SOLANA_MAINNET, USDC_DECIMALS } from '../contract/usdc.ts';
import { type Clock, isoOf } from '../domain/clock.ts';
import { caip2Of } from '../domain/money/coins.ts';
import {
  ETH_DECIMALS,
  FACE_DECIMALS,
  formatDecimal,
  formatSigned,
  parseAtomic,
  parseDecimal,
  SOL_DECIMALS,
  scaleUp,
} from '../domain/money/money.ts';
import type { SalesBy } from '../domain/operator/operator.ts';
import type { SaleLineRecord, SalesRecord } from '../domain/operator/operator-records.ts';
import type { ShopRail } from '../rails/merchant-rail.ts';
import { decodeLine } from '../service/checkout/line.ts';
import type { LinePart } from '../service/partner/orders/deliverable.ts';
import type { Store, Tables } from '../store/store.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import type { PaidOrder, Period, SaleRow, SoldLines } from '../store/tables/sales.ts';
import { SINGLE } from '../store/writes.ts';

const BATCH = 500;
/** An order may be paid by a slow write, or by an older server: so far back each look begins. */
const LATE_MS = 600_000;

/**
 * Gives each order that is paid and has none a receipt number. Of several servers one does it at a time; a number is
 * used only by what is committed.
 * @param sinceMs orders paid before are not looked at; by default those long before the last one
 * @throws what the first order says that cannot be read, once all others are recorded
 */
export async function recordSales({ tables, write }: Store, sinceMs?: number): Promise<void> {
  const { paidAtMs } = await tables.sales.last();
  const faults: unknown[] = [];
  let seen = { paidAtMs: sinceMs ?? (paidAtMs ?? 0) - LATE_MS, orderId: '' };
  for (;;) {
    const paid = await tables.sales.unrecorded(seen, BATCH);
    const last = paid.at(-1);
    if (last === undefined) break;
    seen = last;
    const lines = await soldLines(tables, paid, faults);
    await write(async ({ sales, holds }) => {
      await holds.take('fact receipts');
      const ids = paid.map(({ orderId }) => orderId);
      const known = new Set((await sales.ofOrders(ids)).map(({ orderId }) => orderId));
      const { receipt } = await sales.last();
      const sold = new Set(lines.map(({ orderId }) => orderId));
      const fresh = ids.filter((id) => sold.has(id) && !known.has(id));
      const numbers = new Map(fresh.map((id, at) => [id, (receipt ?? 0) + at + 1]));
      const rows = lines.flatMap((line) => {
        const number = numbers.get(line.orderId);
        return number === undefined ? [] : [{ ...line, receipt: number }];
      });
      for (let at = 0; at < rows.length; at += BATCH) {
        await sales.insert(...rows.slice(at, at + BATCH));
      }
    });
    if (paid.length < BATCH) break;
  }
  if (faults.length > 0) throw faults[0];
}

type NewSale = Omit<SaleRow, 'receipt'>;

/**
 * What is sold is not changed any more once it is paid, so it is read outside the write.
 * @param faults gets those of orders that cannot be read
 */
async function soldLines(
  { sales }: Tables,
  paid: readonly PaidOrder[],
  faults: unknown[],
): Promise<readonly NewSale[]> {
  const goods = new Map<string, SoldGoods[]>();
  for (const row of await sales.deliveriesOf(paid.map(({ orderId }) => orderId))) {
    goods.set(row.orderId, [...(goods.get(row.orderId) ?? []), row]);
  }
  return paid.flatMap((order) => {
    try {
      return linesOf(order, goods.get(order.orderId) ?? []);
    } catch (error) {
      faults.push(error);
      return [];
    }
  });
}

type SoldGoods = Pick<DeliveryRow, 'deliveryId' | 'orderId' | 'line' | 'goods'>;

function linesOf(order: PaidOrder, sold: readonly SoldGoods[]): readonly NewSale[] {
  const { partnerId, decimals, paidAtMs, coin } = order;
  const parts: readonly LinePart[] | null = JSON.parse(order.lines ?? 'null');
  const lines = sold.map(({ goods, ...row }): NewSale => {
    const { product, faceValue, priceAtomic, rate = null } = decodeLine(goods);
    const price = parts && parseDecimal(parts[row.line]?.coinAmount ?? '0', decimals);
    return {
      ...{ ...row, paidAtMs, partnerId, coin, decimals, rate },
      network: partnerId === null ? order.network : (caip2Of(order.network) ?? null),
      amountAtomic: (price ?? priceAtomic).toString(),
      transactions:
        partnerId === null
          ? (order.transactions ?? '')
          : JSON.parse(order.transactions ?? '[]').join(' '),
      ...{ productId: product.productId, product: product.name },
      ...{ country: product.brand.countryCode, currency: product.brand.currency },
      faceValue: faceValue.toString(),
    };
  });
  // Of an order with a fee: its last line has it, so that lines add up to what was asked.
  const sum = lines.reduce((total, line) => total + BigInt(line.amountAtomic), 0n);
  const rest = BigInt(order.amountAtomic) - sum;
  return lines.map((line, at) =>
    at === lines.length - 1
      ? { ...line, amountAtomic: (BigInt(line.amountAtomic) + rest).toString() }
      : line,
  );
}

/** What belongs to a shop's books and no order waits for, beside the care for its accounts. */
export function createBookkeeping(store: Store, parts: Parameters<typeof noteFees>[1]) {
  let askAtMs = 0;
  return {
    measure: async () => undefined,
    async maintain() {
      const nowMs = parts.clock.now();
      try {
        await recordSales(store);
      } finally {
        if (nowMs >= askAtMs) {
          askAtMs = nowMs + ASK_AGAIN_MS;
          if (await noteFees(store, parts)) askAtMs = nowMs;
        }
      }
    },
  };
}

/** Nodes show a transaction in full once it is final. */
const FINAL_MS = 30_000;
/** What a node does not show after so long stays unknown. */
const GIVE_UP_MS = 3_600_000;
/** What a node answers in no form that can be read holds up the others so long. */
const UNREADABLE_MS = 86_400_000;
/** A node that did not show all is left alone so long. */
const ASK_AGAIN_MS = 60_000;
const AT_ONCE = 50;

/**
 * Asks what decided claims have cost. False where a node did not show all that it was asked for.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function noteFees(
  { tables, write }: Store,
  { rails, clock }: { readonly rails: readonly ShopRail[]; readonly clock: Pick<Clock, 'now'> },
): Promise<boolean> {
  const nowMs = clock.now();
  let isWhole = true;
  for (const claim of await tables.claims.withoutFee(nowMs - FINAL_MS, AT_ONCE)) {
    const ageMs = nowMs - claim.createdAtMs;
    const paid = await feeOf(claim, rails).catch((error) => {
      if (ageMs < UNREADABLE_MS) throw error;
      return undefined;
    });
    if (paid === undefined && ageMs < GIVE_UP_MS) {
      isWhole = false;
      continue;
    }
    await write(
      ({ claims }) => claims.noteFee(claim.messageHash, paid ?? { network: null, fee: '' }),
      SINGLE,
    );
  }
  return isWhole;
}

async function feeOf(claim: Parameters<ShopRail['feeOf']>[0], rails: readonly ShopRail[]) {
  for (const rail of rails) {
    const fee = await rail.feeOf(claim);
    if (fee !== undefined) return { network: rail.network, fee: fee.toString() };
  }
  return undefined;
}

/** Base coin of each network of a shop. */
const FEES = new Map([
  [SOLANA_MAINNET, { coin: 'SOL', decimals: SOL_DECIMALS }],
  [BASE, { coin: 'ETH', decimals: ETH_DECIMALS }],
]);

/** A movement of a shop's money with the sold line that it is about, or the sum of several. */
interface Entry {
  readonly kind: SaleLineRecord['kind'];
  readonly atMs: number;
  readonly sale?: SoldLines;
  readonly network: string | null;
  readonly coin: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly transaction: string | null;
}

/** Everything of a period: sales, refunds, fees, and moves to the treasury. */
async function entriesOf(
  { sales }: Tables,
  period: Period,
  { refunds, by }: { readonly refunds: readonly Entry[]; readonly by?: SalesBy },
): Promise<readonly Entry[]> {
  const sold = (await sales.lines(period, by)).map((sale) =>
    entryOf('sale', sale, {
      ...{ atMs: sale.paidAtMs ?? 0, amount: BigInt(sale.amountAtomic) },
      transaction: sale.transactions || null,
    }),
  );
  const moved = (await sales.moves(period, by !== undefined)).flatMap(
    ({ fee, swept, network, ...more }): readonly Entry[] => {
      const common = { ...more, network, transaction: more.transaction ?? null };
      const means = FEES.get(network ?? '');
      const usdc = { coin: 'USDC', decimals: USDC_DECIMALS };
      return [
        ...(means && fee
          ? [{ kind: 'fee' as const, ...common, ...means, amount: BigInt(fee) }]
          : []),
        ...(swept ? [{ kind: 'sweep' as const, ...common, ...usdc, amount: BigInt(swept) }] : []),
      ];
    },
  );
  return [...sold, ...refunds, ...moved];
}

function entryOf(
  kind: 'sale' | 'refund',
  sale: SoldLines,
  more: Pick<Entry, 'atMs' | 'amount' | 'transaction'>,
): Entry {
  const { network = null, coin, decimals } = sale;
  return { kind, sale, network, coin, decimals, ...more };
}

/**
 * Refunds of sold lines, and the lines that were given back as a whole. A refund of a whole order is of its lines in
 * turn, each at most for its price. What was paid above the price was never a sale.
 */
async function refundsOf({ sales }: Tables, { sinceMs, untilMs }: Period) {
  const rows = (await sales.refunds(sinceMs)).filter(({ refundId: id }) => !id.endsWith(' excess'));
  const lines = new Map<string, (SoldLines & SaleRow)[]>();
  const ids = [...new Set(rows.map(({ orderId }) => orderId))];
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const line of await sales.ofOrders(ids.slice(at, at + BATCH))) {
      lines.set(line.orderId, [...(lines.get(line.orderId) ?? []), line]);
    }
  }
  const left = new Map<SoldLines, bigint>();
  const refunds: Entry[] = [];
  for (const { orderId, line, amountAtomic, createdAtMs: atMs, transaction } of rows) {
    let rest = BigInt(amountAtomic);
    for (const sale of lines.get(orderId) ?? []) {
      const room = left.get(sale) ?? BigInt(sale.amountAtomic);
      const amount = rest < room ? rest : room;
      if ((line !== null && line !== sale.line) || amount === 0n) continue;
      left.set(sale, room - amount);
      rest -= amount;
      const isInPeriod = atMs >= sinceMs && atMs < untilMs;
      if (isInPeriod) refunds.push(entryOf('refund', sale, { atMs, amount, transaction }));
    }
  }
  return { refunds, whole: [...left].flatMap(([sale, room]) => (room === 0n ? [sale] : [])) };
}

/** Every line of a period, for a table of the accountant's own. */
export function saleLinesOf(store: Store, period: Period): Promise<readonly SaleLineRecord[]> {
  return store.snapshot(async (tables) => {
    const { refunds } = await refundsOf(tables, period);
    return (await entriesOf(tables, period, { refunds })).map(lineRecord);
  });
}

function lineRecord({ kind, atMs, sale, amount, ...entry }: Entry): SaleLineRecord {
  const { network, coin, decimals, transaction } = entry;
  const text = (digits: string | null | undefined, places: number) =>
    digits ? formatDecimal(parseAtomic(digits), places) : null;
  return {
    kind,
    at: isoOf(atMs),
    receipt: sale?.receipt ?? null,
    order_id: sale?.orderId ?? null,
    line: sale?.line ?? null,
    partner_id: sale?.partnerId ?? null,
    product_id: sale?.productId ?? null,
    product: sale?.product ?? null,
    country: sale?.country ?? null,
    ...{ network, coin, amount: formatSigned(amount, decimals), transaction },
    face_value: text(sale?.faceValue, FACE_DECIMALS),
    currency: sale?.currency ?? null,
    rate: text(sale?.rate, RATE_DECIMALS),
    cost: (kind === 'sale' && sale?.cost) || null,
    cost_currency: (kind === 'sale' && sale?.costCurrency) || null,
  };
}

const RATE_DECIMALS = 12;

type Keyed = Pick<Entry, 'atMs'> & { readonly sale?: Partial<SaleRow> | undefined };

const KEYS: Readonly<Record<SalesBy, (entry: Keyed) => readonly [key: string, name: string]>> = {
  day: ({ atMs }) => [isoOf(atMs).slice(0, 10), ''],
  product: ({ sale }) => [sale?.productId ?? '', sale?.product ?? ''],
  partner: ({ sale }) => [sale?.partnerId ?? '', sale?.partnerId === null ? 'checkout' : ''],
  country: ({ sale }) => [sale?.country ?? '', ''],
};

const KINDS = ['sale', 'refund', 'fee', 'sweep', 'cost', 'undelivered', 'refunds_due'] as const;

type Sums = ReturnType<typeof noSums>;

/** Of one coin: sums of different coins are never added. */
function noSums(
  [key, name]: readonly [key: string, name: string],
  { coin, decimals }: Pick<Entry, 'coin' | 'decimals'>,
) {
  const of = Object.fromEntries(KINDS.map((kind) => [kind, 0n]));
  return {
    ...{ key, name, coin, decimals, lines: 0, costUnknown: 0 },
    // Safe: each kind has just been given one.
    of: of as Record<(typeof KINDS)[number], bigint>,
  };
}

function createSums() {
  const found = new Map<string, Sums>();
  return {
    get(...asked: Parameters<typeof noSums>): Sums {
      const fresh = noSums(...asked);
      const id = JSON.stringify([fresh.key, fresh.name, fresh.coin, fresh.decimals]);
      const sums = found.get(id) ?? fresh;
      found.set(id, sums);
      return sums;
    },
    records: (isTotal: boolean) =>
      [...found]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, sums]) => sumsRecord(sums, isTotal)),
  };
}

/** Sums of a period by what is asked, and then of all of it with what is open now. */
export function salesOf(
  store: Store,
  { by, ...period }: Period & { readonly by: SalesBy },
): Promise<readonly SalesRecord[]> {
  return store.snapshot(async (tables) => {
    const [rows, totals] = [createSums(), createSums()];
    const whose = (entry: Keyed & Pick<Entry, 'coin' | 'decimals'>) => [
      rows.get(KEYS[by](entry), entry),
      totals.get(['', ''], entry),
    ];
    const { refunds, whole } = await refundsOf(tables, period);
    for (const entry of await entriesOf(tables, period, { refunds, by })) {
      for (const sums of whose(entry)) addTo(sums, entry);
    }
    // A line that failed was given back, and cost nothing.
    for (const sale of whole) {
      const { paidAtMs: atMs = 0 } = sale;
      if (atMs < period.sinceMs || atMs >= period.untilMs || sale.cost !== null) continue;
      for (const sums of whose({ ...sale, sale, atMs })) sums.costUnknown -= 1;
    }
    for (const open of await tables.sales.open()) {
      totals.get(['', ''], open).of[open.what] += BigInt(open.amountAtomic);
    }
    return [...rows.records(false), ...totals.records(true)];
  });
}

function addTo(sums: Sums, { kind, amount, sale }: Entry): void {
  sums.of[kind] += amount;
  if (kind !== 'sale' || sale === undefined) return;
  const cost = costOf(sale);
  sums.lines += sale.lines;
  sums.of.cost += (cost ?? 0n) * BigInt(sale.lines);
  if (cost === undefined) sums.costUnknown += sale.lines;
}

/** Of one line in its coin, at the rate of the sale: USDC is taken for dollars one to one, as in prices. */
function costOf({ cost, costCurrency, coin, currency, rate }: SoldLines): bigint | undefined {
  if (cost === null || coin !== 'USDC') return undefined;
  const amount = parseDecimal(cost, USDC_DECIMALS);
  if (costCurrency === 'USD' || costCurrency === 'USDC') return amount;
  return costCurrency === currency && rate !== null
    ? scaleUp(amount, BigInt(rate), 10n ** BigInt(RATE_DECIMALS))
    : undefined;
}

function sumsRecord({ of, ...sums }: Sums, isTotal: boolean): SalesRecord {
  const text = (amount: bigint) => formatSigned(amount, sums.decimals);
  const { key, name, coin, lines, costUnknown } = sums;
  const isKnown = lines > costUnknown;
  return {
    ...{ key: key || null, name: name || null, is_total: isTotal, coin, lines },
    gross: text(of.sale),
    refunds: text(of.refund),
    cost: isKnown ? text(of.cost) : null,
    cost_unknown: costUnknown,
    margin: isKnown && costUnknown === 0 ? text(of.sale - of.refund - of.cost) : null,
    fees: text(of.fee),
    sweeps: text(of.sweep),
    undelivered: isTotal ? text(of.undelivered) : null,
    refunds_due: isTotal ? text(of.refunds_due) : null,
  };
}
