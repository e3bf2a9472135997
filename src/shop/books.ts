/**
 * The audit of a shop: its records against both nodes and the supplier. Of each receiving account, and of the
 * wallet of refunds, the whole history is read, or all since a day.
 */

import { USDC_DECIMALS } from '../contract/x402.ts';
import { formatSigned } from '../domain/money/money.ts';
import type { AuditReport, Finding } from '../domain/operator/audit.ts';
import type { BalanceChange } from '../rails/merchant-rail.ts';
import { auditTables } from '../service/audit/audit.ts';
import { OPEN_MS, spareOf, sumOf } from '../service/audit/checks.ts';
import type { Landed, SupplierLedger, Transfer } from '../service/audit/evidence.ts';
import { requirementOn } from '../service/checkout/challenge.ts';
import { refundNetwork } from '../service/refunds/refunds.ts';
import type { Store, Tables } from '../store/store.ts';
import type { RefundRow } from '../store/tables/refunds.ts';
import type { SettlementRow } from '../store/tables/settlements.ts';
import {
  addAccounts,
  addReceived,
  countingCosts,
  createMoney,
  type History,
  type ShopPlace,
  usdcOn,
} from './books-money.ts';
import { idOf } from './leases.ts';

export interface ShopBooks {
  readonly store: Store;
  readonly places: readonly ShopPlace[];
  supplierLedger(tables: Tables): SupplierLedger;
  /** Nothing older is read and judged; by default all is. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
}

/** An order is on record before its money lands, by clocks that may differ. */
const READ_BEFORE_MS = 3_600_000;

/** @throws {ScripError} CHAIN_UNREACHABLE; MERCHANT_ERROR when the supplier is away */
export async function auditShop(books: ShopBooks): Promise<AuditReport> {
  const { store, places, sinceMs, nowMs } = books;
  const fromMs = sinceMs === undefined ? 0 : sinceMs - READ_BEFORE_MS;
  const histories: (History & { readonly place: ShopPlace; readonly of: Use })[] = [];
  const differences: Finding[] = [];
  for (const place of places) {
    for (const [owner, { of, firstMs }] of await ownersAt(store, place)) {
      const startMs = Math.max(fromMs, firstMs - READ_BEFORE_MS);
      const [own = [], ...others] = await place.rail.histories(owner, startMs);
      histories.push({ place, owner, of, changes: own });
      for (const other of others) differences.push(...differencesOf(owner, { own, other, nowMs }));
    }
  }
  return store.snapshot(async (tables) => {
    const used = (...uses: readonly Use[]) => histories.filter(({ of }) => uses.includes(of));
    const unknown = await unrecorded(tables, used('orders', 'refunds'), nowMs);
    const landed = await landedOf(tables, used('orders'));
    for (const place of places) {
      // Its other business has other fee payers.
      const isOurs = (one: BalanceChange) => one.feePayer === place.feePayer;
      const sales = used('sales').filter((one) => one.place === place);
      await addSales(tables, landed, { histories: sales, isOurs });
    }
    const money = createMoney();
    await addReceived(money, tables, landed, sinceMs ?? 0);
    for (const place of places) {
      const receiving = used('orders').filter((one) => one.place === place);
      await addAccounts(money, tables, place, { receiving, isWhole: sinceMs === undefined });
    }
    const evidence = {
      landed,
      isOld: ({ atMs }: Transfer) => nowMs - atMs > OPEN_MS,
      readAtMs: nowMs,
      credited: async (transaction: string, refund: RefundRow & { readonly recipient: string }) => {
        const network = await refundNetwork(tables, refund);
        const place = places.find(({ rail }) =>
          network === undefined ? rail.isTransactionId(transaction) : rail.network === network,
        );
        const paid = await place?.rail.received(transaction, refund.recipient);
        const found = paid?.amountAtomic ?? 0n;
        if (place !== undefined) {
          const about = usdcOn(place.rail.network, 'refunds');
          money.add(about, { books: BigInt(refund.amountAtomic), found });
        }
        return found;
      },
      played: async () => 0n,
      supplier: countingCosts(books.supplierLedger(tables), tables, money),
      operated: 'serve',
      sinceMs,
      nowMs,
    } as const;
    const report = await auditTables(tables, evidence, [...differences, ...unknown]);
    return { ...report, money: money.records() };
  });
}

/**
 * What a final transaction brought to receiving accounts and pays for nothing; 0 if it is another one, or if nodes
 * show it differently.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function spareIn(
  store: Store,
  place: Pick<ShopPlace, 'rail' | 'treasury' | 'ownerAt'>,
  transaction: string,
): Promise<bigint> {
  const owners = [...(await receiversAt(store, place)), place.treasury];
  const own = await place.rail.changesIn(transaction, owners);
  if (own === undefined) return 0n;
  return store.snapshot(async (tables) => {
    const histories = owners.map((owner, at) => ({ owner, changes: own.slice(at, at + 1) }));
    const landed = await landedOf(tables, histories.slice(0, -1));
    await addSales(tables, landed, { histories: histories.slice(-1), isOurs: () => true });
    const { bySession, forgotten } = landed;
    let spare = sumOf(forgotten);
    for (const [sessionId, transfers] of bySession) {
      const settlement = await tables.settlements.bySession(sessionId);
      for (const transfer of transfers) spare += await spareOf(tables, settlement, transfer);
    }
    return spare;
  });
}

/** Accounts that a restored older copy of the records may not know. */
const BEYOND = 100;

async function receiversAt(
  { tables: { receivingAccounts } }: Store,
  { rail, ownerAt }: Pick<ShopPlace, 'rail' | 'ownerAt'>,
): Promise<readonly string[]> {
  if (ownerAt === undefined) return [];
  const rows = await receivingAccounts.all(rail.network);
  const start = await receivingAccounts.nextPosition();
  const next = Array.from({ length: BEYOND }, (_, at) => ownerAt(start + at));
  const held = await rail.usdcOf(next);
  const forgotten = next.filter((_owner, at) => held[at] !== null);
  return [...rows.map(({ owner }) => owner), ...forgotten];
}

/** What an address of the shop is for. */
type Use = 'orders' | 'sales' | 'refunds';

/** An address: what is older than its first record is no business of the shop. */
interface Owned {
  readonly of: Use;
  readonly firstMs: number;
}

/**
 * Its addresses at a place. Sales over x402 are paid to the treasury, or to the one before it. Without any record
 * all is read: the records may be lost.
 */
async function ownersAt(store: Store, place: ShopPlace): Promise<ReadonlyMap<string, Owned>> {
  const { rail, treasury, refundWallet } = place;
  const { receivingAccounts, settlements } = store.tables;
  const found = new Map<string, Owned>();
  let firstMs = Number.POSITIVE_INFINITY;
  const note = (owner: string, of: Use, atMs: number) => {
    firstMs = Math.min(firstMs, atMs);
    if (!found.has(owner)) found.set(owner, { of, firstMs: atMs });
  };
  const rows = await receivingAccounts.all(rail.network);
  for (const { owner, createdAtMs } of rows) note(owner, 'orders', createdAtMs);
  for await (const row of settlements.rows()) {
    const payTo = row.network === rail.network && (await paidTo(store.tables, row));
    if (payTo) note(payTo, 'sales', row.createdAtMs);
  }
  const began = Number.isFinite(firstMs) ? firstMs : 0;
  for (const owner of await receiversAt(store, place)) {
    if (!found.has(owner)) found.set(owner, { of: 'orders', firstMs: began });
  }
  for (const [owner, { of }] of found) if (of === 'sales') found.set(owner, { of, firstMs: began });
  found.set(treasury, { of: 'sales', firstMs: began });
  if (refundWallet !== undefined) found.set(refundWallet, { of: 'refunds', firstMs: began });
  return found;
}

/** The address that a settlement pays. */
async function paidTo(
  { sessions }: Tables,
  { sessionId, network }: SettlementRow,
): Promise<string | undefined> {
  const session = await sessions.byId(sessionId);
  return session && (requirementOn(session, network)?.payTo ?? session.payTo);
}

/** What only one of two nodes shows, but for the newest transactions. */
function differencesOf(
  owner: string,
  told: {
    readonly own: readonly BalanceChange[];
    readonly other: readonly BalanceChange[];
    readonly nowMs: number;
  },
): readonly Finding[] {
  const { own, other, nowMs } = told;
  const seen = (changes: readonly BalanceChange[]) =>
    new Map(changes.map(({ transaction, change }) => [transaction, change]));
  const [mine, theirs] = [seen(own), seen(other)];
  const old = [...own, ...other].filter(({ atMs }) => nowMs - atMs > OPEN_MS);
  const ids = new Set(old.map(({ transaction }) => transaction));
  return [...ids]
    .filter((id) => mine.get(id) !== theirs.get(id))
    .map((id) => ({
      kind: 'nodes_differ',
      order_id: null,
      subject: id,
      expected: `${usdc(mine.get(id) ?? 0n)} of ${owner}`,
      found: usdc(theirs.get(id) ?? 0n),
    }));
}

/** Money that left by a transfer which the shop did not record before it sent it. */
async function unrecorded(
  { claims }: Tables,
  histories: readonly History[],
  nowMs: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { owner, changes } of histories) {
    for (const { transaction, change, atMs } of changes) {
      if (change > 0n || nowMs - atMs <= OPEN_MS) continue;
      if ((await claims.byTransaction(transaction)) !== undefined) continue;
      findings.push({
        ...{ kind: 'transfer_unrecorded', order_id: null, subject: transaction },
        ...{ expected: 'a transfer on record', found: `${usdc(-change)} from ${owner}` },
      });
    }
  }
  return findings;
}

interface Found extends Landed {
  readonly bySession: Map<string, Transfer[]>;
  readonly forgotten: Transfer[];
  transactions: number;
  transfers: number;
}

/**
 * Adds what came to addresses that have other business too: what settled a session, or was countersigned for one.
 * @param isOurs whether money without any record is the shop's to explain
 */
async function addSales(
  tables: Tables,
  landed: Found,
  sales: {
    readonly histories: readonly History[];
    readonly isOurs: (change: BalanceChange) => boolean;
  },
): Promise<void> {
  const known = await settledBy(tables);
  for (const { owner, changes } of sales.histories) {
    for (const one of changes) {
      const { transaction, change, atMs } = one;
      if (change <= 0n) continue;
      const claim = await tables.claims.byTransaction(transaction);
      const countersigned = claim && (await tables.settlements.byMessage(claim.messageHash));
      const sessionIds =
        known.get(`${transaction} ${owner}`) ?? [countersigned?.sessionId ?? []].flat();
      // Otherwise a claim is of a transfer to the treasury.
      if (sessionIds.length === 0 && (claim !== undefined || !sales.isOurs(one))) continue;
      landed.transactions += 1;
      landed.transfers += Math.max(1, sessionIds.length);
      let rest = change;
      for (const sessionId of sessionIds.slice(1)) {
        // One transaction may settle several; what is above the price is the first one's.
        const price = BigInt((await tables.sessions.byId(sessionId))?.amountAtomic ?? 0);
        const amountAtomic = price < rest ? price : rest;
        add(landed.bySession, sessionId, { transaction, amountAtomic, atMs });
        rest -= amountAtomic;
      }
      const transfer = { transaction, amountAtomic: rest, atMs };
      const [first] = sessionIds;
      if (first === undefined) landed.forgotten.push(transfer);
      else add(landed.bySession, first, transfer);
    }
  }
}

/** Money counts for the order that has its transaction on record, else for the one that leases the account. */
async function landedOf(tables: Tables, histories: readonly History[]): Promise<Found> {
  const payments = await paymentsOnRecord(tables);
  const landed = {
    bySession: new Map<string, Transfer[]>(),
    byPartnerOrder: new Map<string, Transfer[]>(),
    forgotten: [] as Transfer[],
    transactions: 0,
    transfers: 0,
  };
  for (const { owner, changes } of histories) {
    landed.transactions += changes.length;
    const row = await tables.receivingAccounts.byOwner(owner);
    for (const { transaction, change, atMs } of changes) {
      if (change <= 0n) continue;
      landed.transfers += 1;
      const transfer = { transaction, amountAtomic: change, atMs };
      // Blocks tell whole seconds.
      const isOfLease = atMs + 1_000 > (row?.leasedAtMs ?? Number.POSITIVE_INFINITY);
      const lease = isOfLease ? row?.lease : undefined;
      const known = payments.get(`${transaction} ${owner}`) ?? payments.get(transaction);
      if (known !== undefined) add(landed.byPartnerOrder, known, transfer);
      else {
        // What the service does not look for any more, such as a second payment of what is delivered, pays nothing.
        const order = await tables.partnerOrders.byId(idOf(lease ?? null));
        if (order !== undefined && order.nextLookAtMs !== null)
          add(landed.byPartnerOrder, order.orderId, transfer);
        else landed.forgotten.push({ ...transfer, orderId: order?.orderId });
      }
    }
  }
  return landed;
}

function add(map: Map<string, Transfer[]>, key: string, transfer: Transfer): void {
  map.set(key, [...(map.get(key) ?? []), transfer]);
}

/** Which order has a transaction on record. One transaction may pay two orders, each at its own account. */
async function paymentsOnRecord({ partnerOrders }: Tables): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for await (const row of partnerOrders.rows()) {
    const transactions: readonly string[] = JSON.parse(row.transactions);
    for (const transaction of transactions) {
      const { walletAddress } = row;
      const key = walletAddress === null ? transaction : `${transaction} ${walletAddress}`;
      known.set(key, row.orderId);
    }
  }
  return known;
}

/** Sessions by the transaction that settled them and the address that it paid. */
async function settledBy(tables: Tables): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  for await (const row of tables.settlements.rows()) {
    if (row.transaction === null) continue;
    const key = `${row.transaction} ${(await paidTo(tables, row)) ?? ''}`;
    known.set(key, [...(known.get(key) ?? []), row.sessionId]);
  }
  return known;
}

function usdc(amountAtomic: bigint): string {
  return `${formatSigned(amountAtomic, USDC_DECIMALS)} USDC`;
}
