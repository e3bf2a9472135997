/** Third schema step: sessions of the guided purchase. */
import type { Kysely } from 'kysely';
import { primary, required } from './columns.ts';
import type { Database } from './database.ts';

export async function createWizardTables(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('wizardSessions')
    .addColumn('tokenHash', 'text', primary)
    .addColumn('client', 'text', required)
    .addColumn('applicationId', 'text', required)
    .addColumn('answers', 'text', required)
    .addColumn('version', 'integer', required)
    .addColumn('createdAtMs', 'bigint', required)
    .addColumn('lastUsedAtMs', 'bigint', required)
    .execute();
  const index = (name: string, columns: (keyof Database['wizardSessions'])[]) =>
    db.schema.createIndex(name).on('wizardSessions').columns(columns).execute();
  await index('wizard_sessions_of_client', ['client', 'lastUsedAtMs']);
  await index('wizard_sessions_by_use', ['lastUsedAtMs']);
}
