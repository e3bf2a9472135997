/** Guided purchases in progress. */
import { createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';
import { changedOne } from '../statement.ts';

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

declare module '../database.ts' {
  interface Database {
    readonly wizardSessions: WizardSessionRow;
  }
}

export const createWizardSessions = inTurn(
  createTable('wizardSessions', {
    tokenHash: 'text key',
    client: 'text',
    applicationId: 'text',
    answers: 'text',
    version: 'integer',
    createdAtMs: 'bigint',
    lastUsedAtMs: 'bigint',
  }),
  createIndex('wizard_sessions_of_client', 'wizardSessions', ['client', 'lastUsedAtMs']),
  createIndex('wizard_sessions_by_use', 'wizardSessions', ['lastUsedAtMs']),
);

export function wizardSessionsIn(db: Db) {
  const rows = () => db.selectFrom('wizardSessions').selectAll();
  return {
    insert: async (row: WizardSessionRow) => {
      await db.insertInto('wizardSessions').values(row).execute();
    },
    byToken: (tokenHash: string): Promise<WizardSessionRow | undefined> =>
      rows().where('tokenHash', '=', tokenHash).executeTakeFirst(),
    /** Returns a client's sessions used after an instant, longest unused first. */
    usedSince: (client: string, sinceMs: number): Promise<readonly WizardSessionRow[]> =>
      rows()
        .where('client', '=', client)
        .where('lastUsedAtMs', '>', sinceMs)
        .orderBy('lastUsedAtMs')
        .execute(),
    /** Compare-and-swap on `version`; false if another write was first. */
    update: async (
      before: Pick<WizardSessionRow, 'tokenHash' | 'version'>,
      {
        answers,
        lastUsedAtMs,
        version,
      }: Pick<WizardSessionRow, 'answers' | 'lastUsedAtMs' | 'version'>,
    ) =>
      changedOne(
        await db
          .updateTable('wizardSessions')
          .set({ answers, lastUsedAtMs, version })
          .where('tokenHash', '=', before.tokenHash)
          .where('version', '=', before.version)
          .executeTakeFirst(),
      ),
    /** Deletes sessions not used since the instant. */
    forget: async (beforeMs: number) => {
      await db.deleteFrom('wizardSessions').where('lastUsedAtMs', '<=', beforeMs).execute();
    },
  };
}
