/**
 * The sales of a shop for its accountant. Each paid order of either surface is recorded once, under the next receipt
 * number; what its claims cost is asked of the chain.
 */

import { BASE, SOLANA_MAINNET, USDC_DECIMALS } from '../contract/usdc.ts';
import { type Clock, isoOf } from '../domain/clock.ts';
import { caip2Of } from '../domain/money/coins.ts';
import {
  atomic,
  ETH_DECIMALS,
  FACE_DECIMALS,
  formatDecimal,
  formatSigned,
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
import type { PaidClaim } from '../store/tables/claims.ts';
import type { RefundPayment } from '../store/tables/refunds.ts';
import type { PaidOrder, Period, SaleRow, SoldLine } from '../store/tables/sales.ts';
import { SINGLE } from '../store/writes.ts';

const BATCH = 500;
/** An order may be paid by a slow write, or by an older server: so far back each look begins. */
const LATE_MS = 600_000;

/**
 * Gives each order that is paid and has none a receipt number. Of several servers one does it at a time; a number is
 * used only by what is committed.
 * @param sinceMs orders paid before are not looked at; by default those long before the last one
 */
export async function recordSales({ tables, write }: Store, sinceMs?: number): Promise<void> {
  const { paidAtMs } = await tables.sales.last();
  const fromMs = sinceMs ?? (paidAtMs ?? 0) - LATE_MS;
  for (;;) {
    const paid = await tables.sales.unrecorded(fromMs, BATCH);
    const lines = await soldLines(tables, paid);
    if (lines.length === 0) return;
    await write(async ({ sales, holds }) => {
      await holds.take('fact receipts');
      const ids = paid.map(({ orderId }) => orderId);
      const known = new Set((await sales.ofOrders(ids)).map(({ orderId }) => orderId));
      const { receipt } = await sales.last();
      const fresh = ids.filter((id) => !known.has(id));
      const numbers = new Map(fresh.map((id, at) => [id, (receipt ?? 0) + at + 1]));
      const rows = lines.flatMap((line) => {
        const number = numbers.get(line.orderId);
        return number === undefined ? [] : [{ ...line, receipt: number }];
      });
      for (let at = 0; at < rows.length; at += BATCH) {
        await sales.insert(...rows.slice(at, at + BATCH));
      }
    });
    if (paid.length < BATCH) return;
  }
}

type NewSale = Omit<SaleRow, 'receipt'>;

/** What is sold is not changed any more once it is paid, so it is read outside the write. */
async function soldLines(
  { sales }: Tables,
  paid: readonly PaidOrder[],
): Promise<readonly NewSale[]> {
  if (paid.length === 0) return [];
  const byOrder = new Map<string, NewSale[]>(paid.map(({ orderId }) => [orderId, []]));
  const orders = new Map(paid.map((order) => [order.orderId, order]));
  for (const { goods, ...row } of await sales.deliveriesOf([...orders.keys()])) {
    const order = orders.get(row.orderId);
    if (order === undefined) continue;
    const { product, faceValue, priceAtomic, rate = null } = decodeLine(goods);
    const { partnerId, decimals, paidAtMs, coin } = order;
    const parts: readonly LinePart[] | null = JSON.parse(order.lines ?? 'null');
    const price = parts && parseDecimal(parts[row.line]?.coinAmount ?? '0', decimals);
    byOrder.get(row.orderId)?.push({
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
    });
  }
  return [...byOrder].flatMap(([id, lines]) => {
    // Of an order with a fee: its last line has it, so that lines add up to what was asked.
    const sum = lines.reduce((total, line) => total + BigInt(line.amountAtomic), 0n);
    const rest = BigInt(orders.get(id)?.amountAtomic ?? sum) - sum;
    return lines.map((line, at) =>
      at === lines.length - 1
        ? { ...line, amountAtomic: (BigInt(line.amountAtomic) + rest).toString() }
        : line,
    );
  });
}

/** What belongs to a shop's books and no order waits for, beside the care for its accounts. */
export function createBookkeeping(store: Store, parts: Parameters<typeof noteFees>[1]) {
  return {
    measure: async () => undefined,
    async maintain() {
      await recordSales(store);
      await noteFees(store, parts);
    },
  };
}

/** Nodes show a transaction in full once it is final. */
const FINAL_MS = 30_000;
/** What a node does not show after so long stays unknown. */
const GIVE_UP_MS = 3_600_000;
const AT_ONCE = 50;

/** Asks what decided claims have cost. @throws {ScripError} CHAIN_UNREACHABLE */
export async function noteFees(
  { tables, write }: Store,
  { rails, clock }: { readonly rails: readonly ShopRail[]; readonly clock: Pick<Clock, 'now'> },
): Promise<void> {
  const nowMs = clock.now();
  for (const claim of await tables.claims.withoutFee(nowMs - FINAL_MS, AT_ONCE)) {
    const paid = await feeOf(claim, rails);
    if (paid === undefined && nowMs - claim.createdAtMs < GIVE_UP_MS) continue;
    await write(
      ({ claims }) => claims.noteFee(claim.messageHash, paid ?? { network: null, fee: '' }),
      SINGLE,
    );
  }
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

/** One movement of a shop's money, and the sold line that it is about. */
interface Entry {
  readonly kind: SaleLineRecord['kind'];
  readonly atMs: number;
  readonly sale?: SaleRow | SoldLine;
  readonly network: string | null;
  readonly coin: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly transaction: string | null;
}

/** Everything of a period: sales, refunds, fees, and moves to the treasury. */
async function* entriesOf(
  { sales }: Tables,
  period: Period,
  { entries: refunds }: Pick<Refunded, 'entries'>,
): AsyncIterable<Entry> {
  for await (const sale of sales.lines(period)) {
    yield {
      ...{ kind: 'sale', atMs: sale.paidAtMs, sale, amount: BigInt(sale.amountAtomic) },
      ...moneyOf(sale),
      transaction: sale.transactions || null,
    };
  }
  yield* refunds;
  for (const claim of await sales.claims(period)) yield* claimEntries(claim);
  const solana = { network: SOLANA_MAINNET, coin: 'SOL', decimals: SOL_DECIMALS };
  for (const { createdAtMs: atMs, lamports, transaction } of await sales.sponsored(period)) {
    yield { kind: 'fee', atMs, ...solana, amount: BigInt(lamports), transaction };
  }
}

const moneyOf = ({ network, coin, decimals }: SaleRow) => ({ network, coin, decimals });

function* claimEntries(claim: Omit<PaidClaim, 'wire'>): Iterable<Entry> {
  const { network, fee, swept, createdAtMs: atMs, state } = claim;
  const common = { network, atMs, transaction: claim.landedIn ?? claim.transaction };
  const means = FEES.get(network ?? '');
  if (means && fee) yield { kind: 'fee', ...common, ...means, amount: BigInt(fee) };
  const usdc = { coin: 'USDC', decimals: USDC_DECIMALS };
  if (swept && state === 'landed')
    yield { kind: 'sweep', ...common, ...usdc, amount: BigInt(swept) };
}

interface Refunded {
  readonly entries: readonly Entry[];
  /** Lines that were given back as a whole. */
  readonly whole: ReadonlySet<string>;
}

/**
 * Refunds of sold lines: one of a whole order is of its lines in turn, each at most for its price. What was paid above
 * the price was never a sale.
 */
async function refundsOf({ sales }: Tables, { sinceMs, untilMs }: Period): Promise<Refunded> {
  const refunds = (await sales.refunds(sinceMs)).filter(isOfSale);
  const lines = new Map<string, SaleRow[]>();
  const ids = [...new Set(refunds.map(({ orderId }) => orderId))];
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const line of await sales.ofOrders(ids.slice(at, at + BATCH))) {
      lines.set(line.orderId, [...(lines.get(line.orderId) ?? []), line]);
    }
  }
  const left = new Map<string, bigint>();
  const entries: Entry[] = [];
  for (const { orderId, line, amountAtomic, createdAtMs: atMs, transaction } of refunds) {
    let rest = BigInt(amountAtomic);
    for (const sale of lines.get(orderId) ?? []) {
      const room = left.get(sale.deliveryId) ?? BigInt(sale.amountAtomic);
      const amount = rest < room ? rest : room;
      if ((line !== null && line !== sale.line) || amount === 0n) continue;
      left.set(sale.deliveryId, room - amount);
      rest -= amount;
      entries.push({ kind: 'refund', atMs, sale, ...moneyOf(sale), amount, transaction });
    }
  }
  return {
    entries: entries.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs),
    whole: new Set([...left].flatMap(([id, room]) => (room === 0n ? [id] : []))),
  };
}

const isOfSale = ({ refundId }: RefundPayment): boolean => !refundId.endsWith(' excess');

/** Every line of a period, for a table of the accountant's own. */
export function saleLinesOf(store: Store, period: Period): Promise<readonly SaleLineRecord[]> {
  return store.snapshot(async (tables) => {
    const records: SaleLineRecord[] = [];
    const refunded = await refundsOf(tables, period);
    for await (const entry of entriesOf(tables, period, refunded)) records.push(recordOf(entry));
    return records;
  });
}

function recordOf({ kind, atMs, sale, amount, ...entry }: Entry): SaleLineRecord {
  const { network, coin, decimals, transaction } = entry;
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
    face_value: sale ? formatDecimal(atomic(BigInt(sale.faceValue)), FACE_DECIMALS) : null,
    currency: sale?.currency ?? null,
    rate: sale?.rate ? formatDecimal(atomic(BigInt(sale.rate)), RATE_DECIMALS) : null,
    cost: costIn(kind, sale)?.cost ?? null,
    cost_currency: costIn(kind, sale)?.costCurrency ?? null,
  };
}

const RATE_DECIMALS = 12;

function costIn(kind: Entry['kind'], sale: Entry['sale']): SoldLine | undefined {
  return kind === 'sale' && sale && 'cost' in sale ? sale : undefined;
}

const KEYS: Readonly<Record<SalesBy, (entry: Entry) => readonly [key: string, name: string]>> = {
  day: ({ atMs }) => [isoOf(atMs).slice(0, 10), ''],
  product: ({ sale }) => [sale?.productId ?? '', sale?.product ?? ''],
  partner: ({ sale }) => [sale?.partnerId ?? '', sale?.partnerId === null ? 'checkout' : ''],
  country: ({ sale }) => [sale?.country ?? '', ''],
};

const KINDS = ['sale', 'refund', 'fee', 'sweep', 'cost', 'undelivered', 'refunds_due'] as const;

/** Of one coin: sums of different coins are never added. */
interface Sums extends Pick<Entry, 'coin' | 'decimals'> {
  readonly key: string;
  readonly name: string;
  lines: number;
  costUnknown: number;
  readonly of: Record<(typeof KINDS)[number], bigint>;
}

function createSums() {
  const found = new Map<string, Sums>();
  return {
    all: () => [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    get(key: string, name: string, { coin, decimals }: Pick<Entry, 'coin' | 'decimals'>): Sums {
      const id = JSON.stringify([key, name, coin, decimals]);
      const none = Object.fromEntries(KINDS.map((kind) => [kind, 0n])) as Sums['of'];
      const sums = found.get(id) ?? {
        ...{ key, name, coin, decimals, of: none },
        ...{ lines: 0, costUnknown: 0 },
      };
      found.set(id, sums);
      return sums;
    },
  };
}

/** Sums of a period by what is asked, and then of all of it with what is open now. */
export function salesOf(
  store: Store,
  { by, ...period }: Period & { readonly by: SalesBy },
): Promise<readonly SalesRecord[]> {
  return store.snapshot(async (tables) => {
    const [rows, totals] = [createSums(), createSums()];
    const refunded = await refundsOf(tables, period);
    for await (const entry of entriesOf(tables, period, refunded)) {
      for (const sums of [rows.get(...KEYS[by](entry), entry), totals.get('', '', entry)]) {
        sums.of[entry.kind] += entry.amount;
        if (entry.kind === 'sale') addSale(sums, entry.sale, refunded);
      }
    }
    for (const open of await tables.sales.open()) {
      totals.get('', '', open).of[open.what] += BigInt(open.amountAtomic);
    }
    return [
      ...rows.all().map(([, sums]) => sumsRecord(sums, false)),
      ...totals.all().map(([, sums]) => sumsRecord(sums, true)),
    ];
  });
}

function addSale(sums: Sums, sale: Entry['sale'], { whole }: Refunded): void {
  const cost = sale && costOf(sale);
  sums.lines += 1;
  sums.of.cost += cost ?? 0n;
  // A line that failed was given back, and cost nothing.
  if (cost === undefined && !whole.has(sale?.deliveryId ?? '')) sums.costUnknown += 1;
}

const PICO = 10n ** BigInt(RATE_DECIMALS);

/** In the coin, at the rate of the sale: USDC is taken for dollars one to one, as in prices. */
function costOf(sale: SaleRow | SoldLine): bigint | undefined {
  const known = costIn('sale', sale);
  if (known?.cost == null || known.coin !== 'USDC') return undefined;
  const cost = parseDecimal(known.cost, USDC_DECIMALS);
  if (['USD', 'USDC'].includes(known.costCurrency ?? '')) return cost;
  const { rate, currency } = known;
  return rate !== null && known.costCurrency === currency
    ? scaleUp(cost, BigInt(rate), PICO)
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
