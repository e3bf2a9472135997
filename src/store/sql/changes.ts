import type { UpdateResult } from 'kysely';

/** Whether a guarded update found its row in the expected state. */
export function changedOne(result: UpdateResult): boolean {
  return result.numUpdatedRows === 1n;
}
