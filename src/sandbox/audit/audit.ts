/**
 * Compares the service's records with the chain and the supplier: every landed transfer,
 * settlement, delivery, purchase and refund. Reads one snapshot of each store, so a server can keep
 * selling.
 */
import { type AuditReport, type Finding, mismatch } from '../../domain/audit.ts';
import { utcDay } from '../../service/callers.ts';
import type { ChainRecords, ChainStore } from '../../storage/chain-records.ts';
import type { Store, Tables } from '../../storage/store.ts';
import { playedFor } from '../partner/played-payments.ts';
import { checkLine, checkPurchase } from './line-checks.ts';
import { pages } from './pages.ts';
import { checkPartnerOrder } from './partner-checks.ts';
import { checkRefund } from './refund-checks.ts';
import { type Checked, checkSettlement, strayTransfers, sumOf } from './settlement-checks.ts';
import { type Landed, readLanded } from './transfers.ts';

export interface Audited {
  readonly store: Pick<Store, 'snapshot'>;
  readonly chain: Pick<ChainStore, 'tables' | 'snapshot'>;
  /** Address that pays the sandbox's network fees. */
  readonly feePayer: string;
}

/** @param nowMs decides which settlements and orders still count as under way */
export async function audit(
  { store, chain, feePayer }: Audited,
  nowMs: number,
): Promise<AuditReport> {
  // Transactions after this position may pay an order that the shop's snapshot does not hold yet.
  const settledUpTo = await chain.tables.chain.transactionCount();
  return store.snapshot(async (tables) => {
    // The first read takes the snapshot. The shop's is taken before the chain's, so the chain holds
    // every payment that the shop records.
    await tables.facts.get('');
    return chain.snapshot(async ({ chain: ledger }) => {
      const landed = await readLanded(tables, ledger, feePayer);
      return auditTables(tables, { landed, ledger, settledUpTo, nowMs });
    });
  });
}

interface Evidence {
  readonly landed: Landed;
  readonly ledger: Pick<ChainRecords, 'transaction'>;
  /** Position of the last transaction that must belong to an order. */
  readonly settledUpTo: number;
  readonly nowMs: number;
}

/** Result of checking one table. */
interface Part extends Checked {
  readonly count: number;
}

async function auditTables(tables: Tables, evidence: Evidence): Promise<AuditReport> {
  const { landed, ledger, nowMs } = evidence;
  const settlements = await auditSettlements(tables, evidence);
  const partnerOrders = await auditPartnerOrders(tables, landed, nowMs);
  const lines = await walk(pages(tables.books.deliveries, keyOf('deliveryId')), (row) =>
    checkLine(tables, row),
  );
  const purchases = await walk(pages(tables.books.purchases, keyOf('reference')), async (row) => ({
    findings: await checkPurchase(tables, row),
    open: 0,
  }));
  const refunds = await walk(pages(tables.books.refunds, keyOf('refundId')), (row) =>
    checkRefund(tables, ledger, row),
  );
  const parts = [settlements, partnerOrders, lines, purchases, refunds];
  const mismatches = parts.flatMap(({ findings }) => findings).map(mismatch);
  return {
    agrees: mismatches.length === 0,
    checked: {
      transactions: landed.transactions,
      transfers: landed.transfers,
      settlements: settlements.count,
      partner_orders: partnerOrders.count,
      lines: lines.count,
      purchases: purchases.count,
      refunds: refunds.count,
    },
    open: parts.reduce((sum, { open }) => sum + open, 0),
    callers: await callersOf(tables, nowMs),
    mismatches,
  };
}

async function callersOf({ callerFees }: Tables, nowMs: number): Promise<AuditReport['callers']> {
  const today = await callerFees.ofDay(utcDay(nowMs));
  return today.map((day) => ({ ...day, lamports: day.lamports.toString() }));
}

async function auditSettlements(
  tables: Tables,
  { landed, settledUpTo, nowMs }: Evidence,
): Promise<Part> {
  const unclaimed = new Map(landed.bySession);
  const part = await walk(pages(tables.books.settlements, keyOf('messageHash')), (row) => {
    const transfers = landed.bySession.get(row.sessionId) ?? [];
    unclaimed.delete(row.sessionId);
    return checkSettlement(tables, row, { transfers, nowMs });
  });
  const stray = [...unclaimed.values(), landed.forgotten].flat();
  const old = stray.filter(({ position }) => position <= settledUpTo);
  return { ...part, findings: [...part.findings, ...strayTransfers(old)] };
}

async function auditPartnerOrders(tables: Tables, landed: Landed, nowMs: number): Promise<Part> {
  return walk(pages(tables.books.partnerOrders, keyOf('orderId')), async (row) => {
    const transfers = landed.byPartnerOrder.get(row.orderId) ?? [];
    const landedAtMs = transfers.at(-1)?.atMs;
    const played = await playedFor(tables.facts, row.orderId);
    const refunds = await tables.refunds.ofOrder(row.orderId);
    return checkPartnerOrder(row, {
      landedAtomic: sumOf(transfers) + played,
      ...{ landedAtMs, refunds, nowMs },
    });
  });
}

async function walk<Row>(
  rows: AsyncIterable<Row>,
  check: (row: Row) => Promise<Checked>,
): Promise<Part> {
  const findings: Finding[] = [];
  let [count, open] = [0, 0];
  for await (const row of rows) {
    const checked = await check(row);
    findings.push(...checked.findings);
    open += checked.open;
    count += 1;
  }
  return { findings, open, count };
}

function keyOf<Name extends string>(name: Name): (row: { readonly [N in Name]: string }) => string {
  return (row) => row[name];
}
