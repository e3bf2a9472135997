/** Tries of work whose own row does not count them, and the chores of a shop as a whole. */
import type { DueWork } from '../due-work.ts';
import { type Db, sql } from '../sql.ts';

/** A settlement's tries are named by its message. */
export interface TryRow {
  readonly name: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
}

/**
 * Regular work of a shop, done by one of its servers at a time. `accounts`: receiving accounts are looked at, swept
 * and opened. `persons`: ended orders lose their person.
 */
interface Chore {
  readonly name: 'accounts' | 'persons';
}

/** Due from the beginning. */
export function choresIn(db: Db, name: Chore['name']): DueWork<Chore> {
  return {
    due: (atMs) =>
      db.all(sql<Chore>`select cast(${name} as text) as name where not exists (
        select 1 from tries where name = ${name} and next_attempt_at_ms > ${atMs}
      )`),
    lease: ({ atMs, untilMs }) =>
      db.all(sql<Chore>`
        insert into tries (name, attempts, next_attempt_at_ms)
        values (${name}, 1, ${untilMs})
        on conflict (name) do update
        set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
        where tries.next_attempt_at_ms <= ${atMs}
        returning name`),
    free: ({ atMs, untilMs }) =>
      db.run(sql`update tries set next_attempt_at_ms = ${atMs}
        where name = ${name} and next_attempt_at_ms > ${atMs}
          and next_attempt_at_ms <= ${untilMs}`),
  };
}
