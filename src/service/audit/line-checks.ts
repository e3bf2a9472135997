/** Compares the deliveries of orders with the supplier's ledger and with the refunds. */
import type { Finding, MismatchKind } from '../../domain/audit.ts';
import { isPaid } from '../../domain/order-states.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import { DELIVERED_TWICE } from '../code-digest.ts';
import { STUCK_ATTEMPTS } from '../partner/progress.ts';
import { supplierFaultOf } from '../supplier-faults.ts';
import type { Sale, Sold, SupplierLedger } from './evidence.ts';
import { AGREES, type Checked, one } from './settlement-checks.ts';

interface Line {
  readonly row: DeliveryRow;
  readonly sold: Sold | undefined;
  readonly isPaid: boolean;
  readonly isPartners: boolean;
  readonly isGivenBack: boolean;
  readonly isLoss: boolean;
  /** The supplier's last error, if its answers cannot be delivered. */
  readonly unusable: string | undefined;
}

type Read = Pick<Tables, 'orders' | 'settlements' | 'partnerOrders' | 'refunds' | 'facts'>;

export async function checkLine(
  tables: Read,
  supplier: Pick<SupplierLedger, 'sold'>,
  row: DeliveryRow,
): Promise<Checked> {
  return CHECKS[row.state](await readLine(tables, supplier, row));
}

const CHECKS: Readonly<Record<DeliveryRow['state'], (line: Line) => Checked>> = {
  waiting: ({ row, isPaid: hasMoney }) =>
    hasMoney ? differs(row, 'delivery_stuck', 'a released line', 'one that waits') : AGREES,
  pending: ({ row, unusable }) => {
    if (unusable !== undefined)
      return differs(row, 'answer_unusable', 'goods of its own', unusable);
    if (row.attempts < STUCK_ATTEMPTS) return { findings: [], open: 1 };
    return differs(row, 'delivery_stuck', 'goods', `no answer to ${row.attempts} calls`);
  },
  completed: checkDelivered,
  failed: checkFailed,
};

function checkDelivered({ row, sold, isGivenBack, isLoss, ...line }: Line): Checked {
  if (!line.isPaid && !isLoss) return differs(row, 'goods_unpaid', 'a payment', 'none');
  if (sold?.outcome !== 'fulfilled') {
    return differs(row, 'line_without_purchase', 'a purchase', sold?.outcome ?? 'none');
  }
  if (!sold.isSame) return differs(row, 'purchase_differs', row.deliveryId, 'other goods');
  if (row.codeDigest?.startsWith(DELIVERED_TWICE)) {
    return differs(row, 'code_delivered_twice', 'a code of its own', 'the code of another line');
  }
  if (isGivenBack && !isLoss) return differs(row, 'goods_and_refund', 'one of both', 'both');
  return AGREES;
}

/** A partner order's refunds are checked by their sum; the checkout host's are checked per delivery. */
function checkFailed({ row, sold, isPartners, isGivenBack, ...line }: Line): Checked {
  if (sold?.outcome === 'fulfilled') {
    return differs(row, 'purchase_without_line', 'no purchase, or goods', 'a failed line');
  }
  if (isPartners || !line.isPaid || isGivenBack) return AGREES;
  return differs(row, 'refund_missing', 'a refund of the line', 'none');
}

function differs(row: DeliveryRow, kind: MismatchKind, expected: string, found: string): Checked {
  const { orderId: order_id, deliveryId: subject } = row;
  return one({ kind, order_id, subject, expected, found });
}

async function readLine(
  tables: Read,
  supplier: Pick<SupplierLedger, 'sold'>,
  row: DeliveryRow,
): Promise<Line> {
  const { orderId, line } = row;
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  const refunds = await tables.refunds.ofOrder(orderId);
  const isOfLine = (entry: (typeof refunds)[number]) => entry.line === line;
  return {
    row,
    sold: isDecided(row) ? await supplier.sold(row) : undefined,
    isPaid: partnerOrder ? isPaid(partnerOrder) : await isSettled(tables, orderId),
    isPartners: partnerOrder !== undefined,
    isGivenBack:
      partnerOrder?.orderState === 'Refunded' ||
      refunds.some((entry) => entry.kind === 'refund' && isOfLine(entry)),
    isLoss: refunds.some((entry) => entry.kind === 'loss' && isOfLine(entry)),
    unusable: isUnusable(row)
      ? (await supplierFaultOf(tables.facts, row.deliveryId))?.error
      : undefined,
  };
}

async function isSettled(
  { orders, settlements }: Pick<Tables, 'orders' | 'settlements'>,
  orderId: string,
): Promise<boolean> {
  const order = await orders.byId(orderId);
  const settlement = order && (await settlements.bySession(order.sessionId));
  return settlement?.state === 'settled';
}

function isUnusable({ fault }: DeliveryRow): boolean {
  return fault === 'no_goods' || fault === 'used_code';
}

function isDecided({ state }: DeliveryRow): boolean {
  return state === 'completed' || state === 'failed';
}

/** Finds a sale of the supplier whose reference matches no delivery. */
export function checkSale({ reference, hasLine }: Sale): readonly Finding[] {
  if (hasLine) return [];
  const about = { order_id: null, subject: reference };
  return [{ ...about, kind: 'purchase_without_line', expected: 'a line', found: 'none' }];
}
