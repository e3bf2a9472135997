import type { UpdateResult } from 'kysely';

/** Whether a guarded update found its row as the guard describes it. */
export function changedOne(result: UpdateResult): boolean {
  return result.numUpdatedRows === 1n;
}
