/** Payment sessions of the checkout host. */
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';

/** A payment session: the terms of phase 1. Amounts are decimal digits of atomic units. */
export interface SessionRow {
  readonly sessionId: string;
  /** Hex sha256 of the canonical request body: phase 2 must send the same body. */
  readonly bodyHash: string;
  /** Canonical JSON of the request body. */
  readonly body: string;
  readonly payTo: string;
  /** Token account that receives only this session's payment; another text, unique too, where it has none. */
  readonly destination: string;
  readonly amountAtomic: string;
  /** JSON of the payment requirement as sent. */
  readonly requirement: string;
  /** JSON of the priced lines to deliver. */
  readonly lines: string;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly expiresAtMs: number;
}

declare module '../database.ts' {
  interface Database {
    readonly sessions: SessionRow;
  }
}

export const createSessions = createTable('sessions', {
  sessionId: 'text key',
  bodyHash: 'text',
  body: 'text',
  payTo: 'text',
  destination: 'text unique',
  amountAtomic: 'text',
  requirement: 'text',
  lines: 'text',
  createdAtMs: 'bigint',
  expiresAtMs: 'bigint',
});

const INSERT = statement((db, row: SessionRow) => db.insertInto('sessions').values(row));

const BY_ID = statement((db, { sessionId }: Pick<SessionRow, 'sessionId'>) =>
  db.selectFrom('sessions').selectAll().where('sessionId', '=', sessionId),
);

const BY_DESTINATION = statement((db, { destination }: Pick<SessionRow, 'destination'>) =>
  db.selectFrom('sessions').selectAll().where('destination', '=', destination),
);

export function sessionsIn(db: Db) {
  return {
    insert: (row: SessionRow) => INSERT.run(db, row),
    byId: (sessionId: string): Promise<SessionRow | undefined> => BY_ID.first(db, { sessionId }),
    byDestination: (destination: string): Promise<SessionRow | undefined> =>
      BY_DESTINATION.first(db, { destination }),
  };
}
