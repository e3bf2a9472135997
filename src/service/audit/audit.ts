/**
 * Compares a service's records with what landed on the chain and what the supplier sold: every transfer,
 * settlement, delivery, purchase and refund.
 */
import { type AuditReport, type Finding, mismatch } from '../../domain/operator/audit.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import {
  checkLine,
  checkPartnerOrder,
  checkRefund,
  checkSale,
  checkSettlement,
  isGivenBack,
  spareOf,
  strayTransfers,
  sumOf,
  type Verdict,
} from './checks.ts';
import type { Evidence, Transfer } from './evidence.ts';

/** Result of checking one table. */
type Part = Awaited<ReturnType<typeof walk>>;

/** @param more findings of the caller's own */
export async function auditTables<One extends Transfer>(
  tables: Tables,
  evidence: Evidence<One>,
  more: readonly Finding[] = [],
): Promise<AuditReport> {
  const { landed, supplier, operated, sinceMs } = evidence;
  const settlements = await auditSettlements(tables, evidence);
  const partnerOrders = await auditPartnerOrders(tables, evidence);
  const lines = await walk(tables.deliveries.rows(), async (row) =>
    (await isOfOlderOrder(tables, row, sinceMs)) ? 'skipped' : checkLine(tables, supplier, row),
  );
  const purchases = await walk(supplier.sales(tables, sinceMs ?? 0), checkSale);
  const refunds = await walk(tables.refunds.rows(), (row) =>
    isBefore(row, sinceMs) ? 'skipped' : checkRefund(tables, evidence, row),
  );
  const parts = [settlements, partnerOrders, lines, purchases, refunds];
  const findings = [...parts.flatMap((part) => part.findings), ...more];
  const mismatches = findings.map((finding) => mismatch(finding, operated));
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
    not_checked:
      sinceMs === undefined
        ? null
        : {
            before: new Date(sinceMs).toISOString(),
            settlements: settlements.skipped,
            partner_orders: partnerOrders.skipped,
            lines: lines.skipped,
            refunds: refunds.skipped,
          },
    mismatches,
  };
}

async function auditSettlements<One extends Transfer>(
  tables: Tables,
  { landed, isOld, readAtMs, sinceMs, nowMs }: Evidence<One>,
): Promise<Part> {
  const unclaimed = new Map(landed.bySession);
  const part = await walk(tables.settlements.rows(), async (row) => {
    const found = landed.bySession.get(row.sessionId) ?? [];
    unclaimed.delete(row.sessionId);
    if (isBefore(row, sinceMs)) return 'skipped';
    if ((row.settledAtMs ?? 0) > readAtMs) return 'open';
    const transfers = await kept(tables, found, row);
    return checkSettlement(tables, row, { transfers, nowMs });
  });
  const stray = await kept(
    tables,
    [...unclaimed.values(), landed.forgotten].flat().filter(isOld),
    undefined,
  );
  return { ...part, findings: [...part.findings, ...strayTransfers(stray)] };
}

/** Without the money that paid for nothing and was sent back. */
async function kept<One extends Transfer>(
  tables: Tables,
  transfers: readonly One[],
  settlement: SettlementRow | undefined,
): Promise<readonly One[]> {
  const left: One[] = [];
  for (const transfer of transfers) {
    const spare = await spareOf(tables, settlement, transfer);
    const isBack = spare > 0n && (await isGivenBack(tables, transfer));
    const amountAtomic = transfer.amountAtomic - (isBack ? spare : 0n);
    if (amountAtomic > 0n) left.push({ ...transfer, amountAtomic });
  }
  return left;
}

async function auditPartnerOrders(
  tables: Tables,
  { landed, played, readAtMs, sinceMs, nowMs }: Evidence,
): Promise<Part> {
  return walk(tables.partnerOrders.rows(), async (row) => {
    if (isBefore(row, sinceMs)) return 'skipped';
    if (row.updatedAtMs > readAtMs) return 'open';
    const transfers = landed.byPartnerOrder.get(row.orderId) ?? [];
    const landedAtMs = transfers.at(-1)?.atMs;
    const refunds = await tables.refunds.ofOrder(row.orderId);
    return checkPartnerOrder(row, {
      landedAtomic: sumOf(transfers) + (await played(row.orderId)),
      ...{ landedAtMs, refunds, nowMs },
    });
  });
}

function isBefore(
  { createdAtMs }: { readonly createdAtMs: number },
  sinceMs: number | undefined,
): boolean {
  return sinceMs !== undefined && createdAtMs < sinceMs;
}

async function isOfOlderOrder(
  { orders, partnerOrders }: Tables,
  { orderId }: DeliveryRow,
  sinceMs: number | undefined,
): Promise<boolean> {
  if (sinceMs === undefined) return false;
  const order = (await partnerOrders.byId(orderId)) ?? (await orders.byId(orderId));
  return order !== undefined && isBefore(order, sinceMs);
}

async function walk<Row>(
  rows: AsyncIterable<Row>,
  check: (row: Row) => Verdict | Promise<Verdict>,
) {
  const findings: Finding[] = [];
  let [count, open, skipped] = [0, 0, 0];
  for await (const row of rows) {
    const verdict = await check(row);
    if (verdict === 'skipped') skipped += 1;
    else count += 1;
    if (verdict === 'open') open += 1;
    else if (typeof verdict === 'object') findings.push(verdict);
  }
  return { findings, open, count, skipped };
}
