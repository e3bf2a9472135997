/** What operators did by hand: who, when, what, and how it ended. */
import { addColumn, createIndex, createTable, inTurn } from '../columns.ts';
import type { Db } from '../database.ts';

interface OperatorActionRow {
  readonly actionId: string;
  readonly atMs: number;
  readonly who: string;
  /** The command’s words, such as `partners.add`. */
  readonly action: string;
  /** The order, webhook or partner that it concerned. */
  readonly subject: string;
  /** Why, in the operator’s words. */
  readonly reason: string | null;
  /** `begun` until it has ended, then `done` or an error code. */
  readonly result: string;
}

declare module '../database.ts' {
  interface Database {
    readonly operatorActions: OperatorActionRow;
  }
}

export const createOperatorActions = inTurn(
  createTable('operatorActions', {
    actionId: 'text key',
    atMs: 'bigint',
    who: 'text',
    action: 'text',
    subject: 'text',
    result: 'text',
  }),
  createIndex('operator_actions_latest', 'operatorActions', ['atMs', 'actionId']),
);

/** Why an operator acted. */
export const giveReasons = addColumn('operatorActions', 'reason', 'text');

export function operatorActionsIn(db: Db) {
  return {
    insert: async (row: OperatorActionRow) => {
      await db.insertInto('operatorActions').values(row).execute();
    },
    end: async (actionId: string, result: string) => {
      const update = db.updateTable('operatorActions').set({ result });
      await update.where('actionId', '=', actionId).execute();
    },
    /** Newest first; of one subject if it is given. */
    latest: (limit: number, subject?: string): Promise<readonly OperatorActionRow[]> => {
      const rows = db.selectFrom('operatorActions').selectAll();
      const asked = subject === undefined ? rows : rows.where('subject', '=', subject);
      return asked.orderBy('atMs', 'desc').orderBy('actionId').limit(limit).execute();
    },
  };
}
