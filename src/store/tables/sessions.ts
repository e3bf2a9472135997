/** Payment sessions of the checkout host. */
import type { Db } from '../sql.ts';
import { table } from '../table.ts';

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
  /** JSON of a list of those on further networks; null if there are none. */
  readonly otherRequirements: string | null;
  /** JSON of the priced lines to deliver. */
  readonly lines: string;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly expiresAtMs: number;
  /** When its person was erased. */
  readonly erasedAtMs?: number | null;
}

const sessions = table<SessionRow>('sessions', 'sessionId');

export function sessionsIn(db: Db) {
  const { insert, first } = sessions.in(db);
  return {
    insert,
    byId: (sessionId: string) => first({ sessionId }),
    byDestination: (destination: string) => first({ destination }),
  };
}
