/** Lines of orders of both surfaces, and the goods delivered for them. */
import { type RawBuilder, sql } from 'kysely';
import { dueWorkOf } from '../due-work.ts';
import { type Db, statement } from '../statement.ts';
import { inTurn } from '../steps.ts';
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

const DUE_INDEX = deliveries.index('deliveries_due', ['state', 'nextAttemptAtMs']);

const FIRST_COLUMNS = {
  deliveryId: 'text key',
  orderId: 'text',
  line: 'integer',
  beneficiary: 'text',
  goods: 'text',
  state: 'text',
  attempts: 'integer',
  nextAttemptAtMs: 'bigint',
  voucher: 'bytes?',
  failureReason: 'text?',
} as const;

export const createDeliveries = inTurn(
  deliveries.create(
    { ...FIRST_COLUMNS, orderId: 'text of orders.orderId' },
    { unique: ['deliveries_by_line', ['orderId', 'line']] },
  ),
  DUE_INDEX,
);

/** Deliveries now belong to an order of either surface, which a foreign key cannot express. */
export const freeDeliveries = inTurn(
  async (db) => {
    await db.schema.dropIndex('deliveries_due').execute();
    await db.schema.alterTable('deliveries').renameTo('boundDeliveries').execute();
  },
  deliveries.create(FIRST_COLUMNS, {
    unique: ['free_deliveries_by_line', ['orderId', 'line']],
  }),
  async (db) => {
    await sql`insert into deliveries select * from bound_deliveries`.execute(db);
    await db.schema.dropTable('boundDeliveries').execute();
  },
  DUE_INDEX,
);

/** Completed lines without a digest of their code, in the words of their index. */
const UNDIGESTED = sql<boolean>`state = 'completed' and code_digest is null`;

/** Lines whose supplier gave no goods, in the words of their index. */
export const FAULTY = sql<boolean>`state = 'pending' and fault is not null`;

/** What of a delivered code is unique, and why a line has no goods. */
export const rememberCodes = inTurn(
  deliveries.add('codeDigest', 'text'),
  deliveries.add('fault', 'text'),
  deliveries.index('deliveries_by_code', ['codeDigest'], {
    isUnique: true,
    where: sql`code_digest is not null`,
  }),
  deliveries.index('deliveries_undigested', ['deliveryId'], { where: UNDIGESTED }),
  deliveries.index('deliveries_faulty', ['fault'], { where: FAULTY }),
);

const ofOrder = (orderId: string, lock: RawBuilder<unknown>) => sql<DeliveryRow>`
  select * from deliveries where order_id = ${orderId} order by line ${lock}`;

const OF_ORDER = statement(({ orderId }: OfOrder) => ofOrder(orderId, sql``));

const OF_ORDER_LOCKED = statement(({ orderId }: OfOrder) => ofOrder(orderId, sql`for update`));

type OfOrder = Pick<DeliveryRow, 'orderId'>;

/**
 * Written so that the index by state does not serve: while the table is empty, PostgreSQL may choose it,
 * and keeps its choice for a while.
 */
const RELEASE = statement(
  ({ orderId, atMs }: OfOrder & { readonly atMs: number }) => sql`
    update deliveries set state = 'pending', next_attempt_at_ms = ${atMs}
    where order_id = ${orderId} and state || '' = 'waiting'`,
);

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
  const { first, update } = deliveries.in(db);
  return {
    ...dueDeliveries(db, locksRows),
    ofOrder: (orderId: string): Promise<readonly DeliveryRow[]> =>
      (locksRows ? OF_ORDER_LOCKED : OF_ORDER).all(db, { orderId }),
    /** Makes the deliveries of a paid order `pending` and due now. */
    release: (orderId: string, atMs: number) => RELEASE.run(db, { orderId, atMs }),
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
