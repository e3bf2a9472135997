import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { WizardSessions } from '../wizard-sessions.ts';
import { changedOne } from './changes.ts';

export function wizardSessionsIn(db: Kysely<Database>): WizardSessions {
  return {
    insert: async (row) => {
      await db.insertInto('wizardSessions').values(row).execute();
    },
    byToken: (tokenHash) =>
      db
        .selectFrom('wizardSessions')
        .selectAll()
        .where('tokenHash', '=', tokenHash)
        .executeTakeFirst(),
    usedSince: (client, sinceMs) =>
      db
        .selectFrom('wizardSessions')
        .selectAll()
        .where('client', '=', client)
        .where('lastUsedAtMs', '>', sinceMs)
        .orderBy('lastUsedAtMs')
        .execute(),
    update: async (before, { answers, lastUsedAtMs, version }) =>
      changedOne(
        await db
          .updateTable('wizardSessions')
          .set({ answers, lastUsedAtMs, version })
          .where('tokenHash', '=', before.tokenHash)
          .where('version', '=', before.version)
          .executeTakeFirst(),
      ),
    forget: async (beforeMs) => {
      await db.deleteFrom('wizardSessions').where('lastUsedAtMs', '<=', beforeMs).execute();
    },
  };
}
