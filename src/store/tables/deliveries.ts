/** Lines of orders of both surfaces, and the goods delivered for them. */
import { dueWorkOf } from '../due-work.ts';
import { type Db, forUpdate, sql, within } from '../sql.ts';
import { table } from '../table.ts';

/**
 * Why a pending line has no goods: its supplier gave no outcome in many tries, an answer without goods, or a code
 * that another line has.
 */
export type DeliveryFault = 'no_outcome' | 'no_goods' | 'used_code';

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly orderId: string;
  /** Position in the order, from 0. */
  readonly line: number;
  readonly beneficiary: string;
  /** JSON snapshot of the priced line: product, face value, price. */
  readonly goods: string;
  /** `waiting` until the order is paid. */
  readonly state: 'waiting' | 'pending' | 'completed' | 'failed';
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** Encrypted voucher, once delivered. */
  readonly voucher: Uint8Array | null;
  readonly failureReason: string | null;
  /** Keyed digest of what redeems the voucher, unique over all lines; null until it is known. */
  readonly codeDigest: string | null;
  readonly fault: DeliveryFault | null;
}

export const deliveries = table<DeliveryRow>('deliveries', 'deliveryId');

/** The brand of a line's goods, in the words of its index. No text makes the expression fail. */
export const BRANDS = {
  sqlite: `json_extract("goods", '$.product.brand.name')`,
  postgres: `substring("goods" from '"brand":\\{[^{}]*"name":"(([^"\\\\]|\\\\.)*)"')`,
} as const;

/** Lines whose supplier gave no goods, in the words of their index. */
export const FAULTY = sql`state = 'pending' and fault is not null`;

const dueDeliveries = dueWorkOf<DeliveryRow>({
  name: 'deliveries',
  key: 'deliveryId',
  dueAt: 'nextAttemptAtMs',
  count: 'attempts',
  where: sql`state = ${'pending'}`,
});

type Changed = Omit<DeliveryRow, 'deliveryId' | 'orderId' | 'line' | 'beneficiary' | 'goods'>;

/** Those of a new order. */
export async function insertDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length > 0) await deliveries.in(db).insert(...rows);
}

/** Due is what is `pending`. */
export function deliveriesIn(db: Db, locksRows = false) {
  const { first, select, update, rows } = deliveries.in(db);
  return {
    ...dueDeliveries(db, locksRows),
    rows,
    byId: (deliveryId: string) => first({ deliveryId }),
    ofOrder: (orderId: string): Promise<readonly DeliveryRow[]> =>
      select(sql`where order_id = ${orderId} order by line ${forUpdate(locksRows)}`),
    /** Those of several orders. */
    ofOrders: (orderIds: readonly string[]) =>
      select(sql`where ${within(sql`order_id`, orderIds)} order by order_id, line`),
    /**
     * Makes the deliveries of a paid order `pending` and due now. Written so that the index by state
     * does not serve: while the table is empty, PostgreSQL may choose it, and keeps its choice for a while.
     */
    release: (orderId: string, atMs: number) =>
      db.run(sql`update deliveries set state = 'pending', next_attempt_at_ms = ${atMs}
        where order_id = ${orderId} and state || '' = 'waiting'`),
    /** Makes a pending delivery due. */
    wake: async (deliveryId: string, atMs: number) => {
      await update({ deliveryId, state: 'pending' }, { nextAttemptAtMs: atMs });
    },
    /**
     * Compare-and-swap on `attempts`; false if another process was first.
     * @throws {ScripError} RECORD_EXISTS when another line has this digest
     */
    update: (
      { deliveryId, attempts: known }: Pick<DeliveryRow, 'deliveryId' | 'attempts'>,
      { state, attempts, nextAttemptAtMs, voucher, failureReason, codeDigest, fault }: Changed,
    ) =>
      update(
        { deliveryId, attempts: known },
        { state, attempts, nextAttemptAtMs, voucher, failureReason, codeDigest, fault },
      ),
    byCodeDigest: (codeDigest: string) => first({ codeDigest }),
  };
}
