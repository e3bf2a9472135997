/** What operators did by hand: who, when, what, and how it ended. */

import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

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

const operatorActions = table<OperatorActionRow>('operatorActions', 'actionId');

export function operatorActionsIn(db: Db) {
  const { insert, select, update } = operatorActions.in(db);
  return {
    insert,
    end: async (actionId: string, result: string) => {
      await update({ actionId }, { result });
    },
    /** Newest first; of one subject if it is given. */
    latest: (limit: number, subject?: string) => {
      const asked = subject === undefined ? sql`` : sql`where subject = ${subject}`;
      return select(sql`${asked} order by at_ms desc, action_id limit ${limit}`);
    },
  };
}
