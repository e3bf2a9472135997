import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { OrderEvents } from '../order-events.ts';
import type { Engine } from './engine.ts';

/** Within an order the next number is one more than the last: its writes come one after another. */
export function orderEventsIn(db: Kysely<Database>, engine: Engine): OrderEvents {
  const latestSeq: OrderEvents['latestSeq'] = async (orderId) => {
    const last = await db
      .selectFrom('orderEvents')
      .select('seq')
      .where('orderId', '=', orderId)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last?.seq ?? 0;
  };
  const latestPosition: OrderEvents['latestPosition'] = async () => {
    const last = await db
      .selectFrom('orderEvents')
      .select('position')
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last?.position ?? 0;
  };
  const ofOrder = (orderId: string) =>
    db.selectFrom('orderEvents').selectAll().where('orderId', '=', orderId);
  return {
    latestSeq,
    latestPosition,
    append: async (event) => {
      const position = await engine.nextPosition(db);
      const seq = (await latestSeq(event.orderId)) + 1;
      const row = { ...event, position, seq };
      await db.insertInto('orderEvents').values(row).execute();
      await engine.notify(db, event.orderId);
      return row;
    },
    since: (orderId, seq) => ofOrder(orderId).where('seq', '>', seq).orderBy('seq').execute(),
    at: (orderId, seq) => ofOrder(orderId).where('seq', '=', seq).executeTakeFirst(),
    after: (position, limit) =>
      db
        .selectFrom('orderEvents')
        .selectAll()
        .where('position', '>', position)
        .orderBy('position')
        .limit(limit)
        .execute(),
  };
}
