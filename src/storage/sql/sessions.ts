import type { Kysely } from 'kysely';
import type { Sessions } from '../checkout-orders.ts';
import type { Database } from '../database.ts';

export function sessionsIn(db: Kysely<Database>): Sessions {
  return {
    insert: async (row) => {
      await db.insertInto('sessions').values(row).execute();
    },
    byId: (sessionId) =>
      db.selectFrom('sessions').selectAll().where('sessionId', '=', sessionId).executeTakeFirst(),
    byDestination: (destination) =>
      db
        .selectFrom('sessions')
        .selectAll()
        .where('destination', '=', destination)
        .executeTakeFirst(),
    retire: async (sessionId) => {
      await db
        .updateTable('sessions')
        .set({ destination: `retired ${sessionId}` })
        .where('sessionId', '=', sessionId)
        .execute();
    },
  };
}
