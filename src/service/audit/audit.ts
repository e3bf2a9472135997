/**
 * Compares a service's records with what landed on the chain and what the supplier sold: every transfer,
 * settlement, delivery, purchase and refund.
 */
import { type AuditReport, type Finding, mismatch } from '../../domain/operator/audit.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import {
  type Checked,
  checkLine,
  checkPartnerOrder,
  checkRefund,
  checkSale,
  checkSettlement,
  isGivenBack,
  OPEN,
  SKIPPED,
  spareOf,
  strayTransfers,
  sumOf,
} from './checks.ts';
import { type Evidence, pages, type Transfer } from './evidence.ts';

/** Result of checking one table. */
interface Part extends Checked {
  readonly count: number;
  readonly skipped: number;
}

/** @param more findings of the caller's own */
export async function auditTables<One extends Transfer>(
  tables: Tables,
  evidence: Evidence<One>,
  more: readonly Finding[] = [],
): Promise<AuditReport> {
  const { landed, supplier, operated, sinceMs } = evidence;
  const settlements = await auditSettlements(tables, evidence);
  const partnerOrders = await auditPartnerOrders(tables, evidence);
  const lines = await walk(
    pages(tables.books.deliveries, keyOf('deliveryId')),
    async (row: DeliveryRow) =>
      (await isOfOlderOrder(tables, row, sinceMs)) ? SKIPPED : checkLine(tables, supplier, row),
  );
  const purchases = await walk(supplier.sales(tables, sinceMs ?? 0), async (sale) =>
    sale.isNew && !sale.hasLine ? OPEN : { findings: checkSale(sale), open: 0 },
  );
  const refunds = await walk(pages(tables.books.refunds, keyOf('refundId')), async (row) =>
    isBefore(row, sinceMs) ? SKIPPED : checkRefund(tables, evidence, row),
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
  const part = await walk(pages(tables.books.settlements, keyOf('messageHash')), async (row) => {
    const found = landed.bySession.get(row.sessionId) ?? [];
    unclaimed.delete(row.sessionId);
    if (isBefore(row, sinceMs)) return SKIPPED;
    if ((row.settledAtMs ?? 0) > readAtMs) return OPEN;
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
  return walk(pages(tables.books.partnerOrders, keyOf('orderId')), async (row) => {
    if (isBefore(row, sinceMs)) return SKIPPED;
    if (row.updatedAtMs > readAtMs) return OPEN;
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
  check: (row: Row) => Promise<Checked>,
): Promise<Part> {
  const findings: Finding[] = [];
  let [count, open, skipped] = [0, 0, 0];
  for await (const row of rows) {
    const checked = await check(row);
    if (checked.isSkipped) {
      skipped += 1;
      continue;
    }
    findings.push(...checked.findings);
    open += checked.open;
    count += 1;
  }
  return { findings, open, count, skipped };
}

function keyOf<Name extends string>(name: Name): (row: { readonly [N in Name]: string }) => string {
  return (row) => row[name];
}
