import { type Kysely, sql } from 'kysely';
import type { Deliveries, DeliveryRow } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { dueWorkOf } from './due-work.ts';
import { ALONE } from './engine.ts';
import { statement } from './statement.ts';

const ofOrder = (db: Kysely<Database>, orderId: string) =>
  db.selectFrom('deliveries').selectAll().where('orderId', '=', orderId).orderBy('line');

const OF_ORDER = statement((db, { orderId }: { readonly orderId: string }) => ofOrder(db, orderId));

const OF_ORDER_LOCKED = statement((db, { orderId }: { readonly orderId: string }) =>
  ofOrder(db, orderId).forUpdate(),
);

const RELEASE = statement(
  (db, { orderId, atMs }: { readonly orderId: string; readonly atMs: number }) =>
    db
      .updateTable('deliveries')
      .set({ state: 'pending', nextAttemptAtMs: atMs })
      .where('orderId', '=', orderId)
      // Written so that the index by state does not serve: while the table is empty, PostgreSQL may choose it,
      // and keeps its choice for a while.
      .where(sql<string>`state || ''`, '=', 'waiting'),
);

const dueDeliveries = dueWorkOf<DeliveryRow>(
  { name: 'deliveries', key: 'deliveryId', dueAt: 'nextAttemptAtMs', count: 'attempts' },
  (db, { atMs, limit }) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('state', '=', 'pending')
      .where('nextAttemptAtMs', '<=', atMs)
      .orderBy('nextAttemptAtMs')
      .orderBy('deliveryId')
      .limit(limit),
);

type Changed = Parameters<Deliveries['update']>[1];

const UPDATE = statement(
  (
    db,
    {
      before,
      after,
    }: {
      readonly before: Pick<DeliveryRow, 'deliveryId' | 'attempts'>;
      readonly after: Changed;
    },
  ) =>
    db
      .updateTable('deliveries')
      .set(after)
      .where('deliveryId', '=', before.deliveryId)
      .where('attempts', '=', before.attempts),
);

const INSERT = statement((db, { rows }: { readonly rows: readonly DeliveryRow[] }) =>
  db.insertInto('deliveries').values(rows),
);

/** Those of a new order. */
export async function insertDeliveries(
  db: Kysely<Database>,
  rows: readonly DeliveryRow[],
): Promise<void> {
  if (rows.length > 0) await INSERT.run(db, { rows });
}

export function deliveriesIn(db: Kysely<Database>, { locksRows } = ALONE): Deliveries {
  return {
    ofOrder: (orderId) => (locksRows ? OF_ORDER_LOCKED : OF_ORDER).all(db, { orderId }),
    release: async (orderId, atMs) => {
      await RELEASE.run(db, { orderId, atMs });
    },
    wake: async (deliveryId, atMs) => {
      await db
        .updateTable('deliveries')
        .set({ nextAttemptAtMs: atMs })
        .where('deliveryId', '=', deliveryId)
        .where('state', '=', 'pending')
        .execute();
    },
    ...dueDeliveries(db, locksRows),
    update: (
      { deliveryId, attempts: known },
      { state, attempts, nextAttemptAtMs, voucher, failureReason, codeDigest, fault },
    ) =>
      UPDATE.changesOne(db, {
        before: { deliveryId, attempts: known },
        after: { state, attempts, nextAttemptAtMs, voucher, failureReason, codeDigest, fault },
      }),
    byCodeDigest: (codeDigest) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .where('codeDigest', '=', codeDigest)
        .executeTakeFirst(),
    digest: async (deliveryId, codeDigest) => {
      await db
        .updateTable('deliveries')
        .set({ codeDigest })
        .where('deliveryId', '=', deliveryId)
        .where('codeDigest', 'is', null)
        .execute();
    },
  };
}
