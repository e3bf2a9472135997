/** Guided purchases in progress. */

import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

export interface WizardSessionRow {
  /** Hex sha256 of the token; only the client has the token itself. */
  readonly tokenHash: string;
  /** The client that opened it; only this client may continue. */
  readonly client: string;
  /** Partner id that its order is created under. */
  readonly applicationId: string;
  /** JSON of the accepted answers. */
  readonly answers: string;
  /** Increases with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
}

const wizardSessions = table<WizardSessionRow>('wizardSessions', 'tokenHash');

export function wizardSessionsIn(db: Db) {
  const { insert, first, select, update } = wizardSessions.in(db);
  return {
    insert,
    byToken: (tokenHash: string) => first({ tokenHash }),
    /** Returns a client's sessions used after an instant, longest unused first. */
    usedSince: (client: string, sinceMs: number) =>
      select(
        sql`where client = ${client} and last_used_at_ms > ${sinceMs} order by last_used_at_ms`,
      ),
    /** Compare-and-swap on `version`; false if another write was first. */
    update: (
      { tokenHash, version: known }: Pick<WizardSessionRow, 'tokenHash' | 'version'>,
      {
        answers,
        lastUsedAtMs,
        version,
      }: Pick<WizardSessionRow, 'answers' | 'lastUsedAtMs' | 'version'>,
    ) => update({ tokenHash, version: known }, { answers, lastUsedAtMs, version }),
    /** Deletes sessions not used since the instant. */
    forget: async (beforeMs: number) => {
      await db.run(sql`delete from wizard_sessions where last_used_at_ms <= ${beforeMs}`);
    },
  };
}
