/** Compares the deliveries of orders with the supplier's ledger and with the refunds. */
import type { Finding, MismatchKind } from '../../domain/audit.ts';
import { isPaid } from '../../domain/order-states.ts';
import { decodeLine } from '../../service/line.ts';
import { STUCK_ATTEMPTS } from '../../service/partner/progress.ts';
import type { DeliveryRow } from '../../storage/checkout-orders.ts';
import type { PurchaseRow } from '../../storage/purchases.ts';
import type { Tables } from '../../storage/store.ts';
import { AGREES, type Checked, one } from './settlement-checks.ts';

interface Line {
  readonly row: DeliveryRow;
  readonly purchase: PurchaseRow | undefined;
  readonly isPaid: boolean;
  readonly isPartners: boolean;
  readonly isGivenBack: boolean;
  readonly isLoss: boolean;
}

type Read = Pick<
  Tables,
  'orders' | 'settlements' | 'partnerOrders' | 'purchases' | 'refunds' | 'books'
>;

export async function checkLine(tables: Read, row: DeliveryRow): Promise<Checked> {
  return CHECKS[row.state](await readLine(tables, row));
}

const CHECKS: Readonly<Record<DeliveryRow['state'], (line: Line) => Checked>> = {
  waiting: ({ row, isPaid: hasMoney }) =>
    hasMoney ? differs(row, 'delivery_stuck', 'a released line', 'one that waits') : AGREES,
  pending: ({ row }) => {
    if (row.attempts < STUCK_ATTEMPTS) return { findings: [], open: 1 };
    return differs(row, 'delivery_stuck', 'goods', `no answer to ${row.attempts} calls`);
  },
  completed: checkDelivered,
  failed: checkFailed,
};

function checkDelivered({ row, purchase, isGivenBack, isLoss, ...line }: Line): Checked {
  if (!line.isPaid && !isLoss) return differs(row, 'goods_unpaid', 'a payment', 'none');
  if (purchase?.outcome !== 'fulfilled') {
    return differs(row, 'line_without_purchase', 'a purchase', purchase?.outcome ?? 'none');
  }
  if (!isOf(purchase, row)) return differs(row, 'purchase_differs', row.deliveryId, 'other goods');
  if (isGivenBack && !isLoss) return differs(row, 'goods_and_refund', 'one of both', 'both');
  return AGREES;
}

/** A partner order's refunds are checked by their sum; the checkout host's are checked per delivery. */
function checkFailed({ row, purchase, isPartners, isGivenBack, ...line }: Line): Checked {
  if (purchase?.outcome === 'fulfilled') {
    return differs(row, 'purchase_without_line', 'no purchase, or goods', 'a failed line');
  }
  if (isPartners || !line.isPaid || isGivenBack) return AGREES;
  return differs(row, 'refund_missing', 'a refund of the line', 'none');
}

function differs(row: DeliveryRow, kind: MismatchKind, expected: string, found: string): Checked {
  const { orderId: order_id, deliveryId: subject } = row;
  return one({ kind, order_id, subject, expected, found });
}

async function readLine(tables: Read, row: DeliveryRow): Promise<Line> {
  const { orderId, line } = row;
  const partnerOrder = await tables.partnerOrders.byId(orderId);
  const refunds = await tables.refunds.ofOrder(orderId);
  const isOfLine = (entry: (typeof refunds)[number]) => entry.line === line;
  return {
    row,
    purchase: await tables.purchases.byReference(row.deliveryId),
    isPaid: partnerOrder ? isPaid(partnerOrder) : await isSettled(tables, orderId),
    isPartners: partnerOrder !== undefined,
    isGivenBack:
      partnerOrder?.orderState === 'Refunded' ||
      refunds.some((entry) => entry.kind === 'refund' && isOfLine(entry)),
    isLoss: refunds.some((entry) => entry.kind === 'loss' && isOfLine(entry)),
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

/** Whether the supplier's ledger recorded the product, value and beneficiary that the delivery sold. */
function isOf(purchase: PurchaseRow, { goods, beneficiary }: DeliveryRow): boolean {
  const asked: { productId?: unknown; faceValue?: unknown; beneficiary?: unknown } = JSON.parse(
    purchase.request,
  );
  const { product, faceValue } = decodeLine(goods);
  return (
    asked.productId === product.productId &&
    asked.faceValue === faceValue.toString() &&
    asked.beneficiary === beneficiary
  );
}

/** Finds a purchase at the supplier whose reference matches no delivery. */
export async function checkPurchase(
  { books }: Pick<Tables, 'books'>,
  { reference, outcome }: PurchaseRow,
): Promise<readonly Finding[]> {
  if (outcome === 'refused' || (await books.delivery(reference))) return [];
  const about = { order_id: null, subject: reference };
  return [{ ...about, kind: 'purchase_without_line', expected: 'a line', found: 'none' }];
}
