/** The log of what operators do by hand, in the store of the shop. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import type { OperatorLog } from '../../domain/operator/operator.ts';
import { uuid } from '../../domain/uuid.ts';
import type { Store } from '../../store/store.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Who acts: the user of the machine, or the name that was given. */
  readonly who: string;
  /** Why, in the operator's words. */
  readonly reason?: string | undefined;
  random(length: number): Uint8Array;
}

export function createOperatorLog({ store, clock, who, reason, random }: Deps): OperatorLog {
  const { operatorActions } = store.tables;
  return {
    async record(action, subject, work, what) {
      const actionId = uuid(random(16));
      const why = [reason, what].filter((text) => text !== undefined).join('; ');
      const by = { who, reason: why === '' ? null : why };
      const begun = { ...by, actionId, atMs: clock.now(), action, subject, result: 'begun' };
      await operatorActions.insert(begun);
      try {
        const result = await work();
        await operatorActions.end(actionId, 'done');
        return result;
      } catch (error) {
        await operatorActions.end(actionId, error instanceof ScripError ? error.code : 'INTERNAL');
        throw error;
      }
    },
    latest: async (limit, subject) =>
      (await operatorActions.latest(limit, subject)).map((row) => ({
        at: new Date(row.atMs).toISOString(),
        who: row.who,
        action: row.action,
        subject: row.subject,
        reason: row.reason,
        result: row.result,
      })),
  };
}
