import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { OrderEvents } from '../order-events.ts';
import type { Engine } from './engine.ts';
import { statement } from './statement.ts';

const LATEST_SEQ = statement((db, { orderId }: { readonly orderId: string }) =>
  db
    .selectFrom('orderEvents')
    .select('seq')
    .where('orderId', '=', orderId)
    .orderBy('seq', 'desc')
    .limit(1),
);

const LATEST_POSITION = statement((db) =>
  db.selectFrom('orderEvents').select('position').orderBy('position', 'desc').limit(1),
);

const SINCE = statement(
  (db, { orderId, seq }: { readonly orderId: string; readonly seq: number }) =>
    db
      .selectFrom('orderEvents')
      .selectAll()
      .where('orderId', '=', orderId)
      .where('seq', '>', seq)
      .orderBy('seq'),
);

const AT = statement((db, { orderId, seq }: { readonly orderId: string; readonly seq: number }) =>
  db.selectFrom('orderEvents').selectAll().where('orderId', '=', orderId).where('seq', '=', seq),
);

const AFTER = statement(
  (db, { position, limit }: { readonly position: number; readonly limit: number }) =>
    db
      .selectFrom('orderEvents')
      .selectAll()
      .where('position', '>', position)
      .orderBy('position')
      .limit(limit),
);

export function orderEventsIn(db: Kysely<Database>, engine: Engine): OrderEvents {
  return {
    latestSeq: async (orderId) => (await LATEST_SEQ.first(db, { orderId }))?.seq ?? 0,
    latestPosition: async () => (await LATEST_POSITION.first(db, {}))?.position ?? 0,
    append: async (event) => ({ ...event, ...(await engine.addEvent.only(db, event)) }),
    since: (orderId, seq) => SINCE.all(db, { orderId, seq }),
    at: (orderId, seq) => AT.first(db, { orderId, seq }),
    after: (position, limit) => AFTER.all(db, { position, limit }),
  };
}
