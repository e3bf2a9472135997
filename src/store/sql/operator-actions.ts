import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { OperatorActions } from '../operator-actions.ts';

export function operatorActionsIn(db: Kysely<Database>): OperatorActions {
  return {
    insert: async (row) => {
      await db.insertInto('operatorActions').values(row).execute();
    },
    end: async (actionId, result) => {
      const update = db.updateTable('operatorActions').set({ result });
      await update.where('actionId', '=', actionId).execute();
    },
    latest: (limit, subject) => {
      const rows = db.selectFrom('operatorActions').selectAll();
      const asked = subject === undefined ? rows : rows.where('subject', '=', subject);
      return asked.orderBy('atMs', 'desc').orderBy('actionId').limit(limit).execute();
    },
  };
}
