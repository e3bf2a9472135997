import type { Kysely } from 'kysely';
import type { SessionRow, Sessions } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { statement } from './statement.ts';

const INSERT = statement((db, row: SessionRow) => db.insertInto('sessions').values(row));

const BY_ID = statement((db, { sessionId }: Pick<SessionRow, 'sessionId'>) =>
  db.selectFrom('sessions').selectAll().where('sessionId', '=', sessionId),
);

const BY_DESTINATION = statement((db, { destination }: Pick<SessionRow, 'destination'>) =>
  db.selectFrom('sessions').selectAll().where('destination', '=', destination),
);

export function sessionsIn(db: Kysely<Database>): Sessions {
  return {
    insert: async (row) => {
      await INSERT.run(db, row);
    },
    byId: (sessionId) => BY_ID.first(db, { sessionId }),
    byDestination: (destination) => BY_DESTINATION.first(db, { destination }),
  };
}
