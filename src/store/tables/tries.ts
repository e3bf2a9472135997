/** Tries of work whose own row does not count them, and the chores of a shop as a whole. */
import { sql } from 'kysely';
import type { DueWork, Term } from '../due-work.ts';
import { type Db, statement } from '../statement.ts';
import { table } from '../table.ts';

/** A settlement's tries are named by its message. */
export interface TryRow {
  readonly name: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
}

const tries = table<TryRow>('tries', 'name');

export const createTries = tries.create({
  name: 'text key',
  attempts: 'integer',
  nextAttemptAtMs: 'bigint',
});

/** Regular work of a shop, done by one of its servers at a time. */
interface Chore {
  /** `accounts`: receiving accounts are looked at, swept and opened. */
  readonly name: 'accounts';
}

const NAME = sql.lit<Chore['name']>('accounts');

const DUE = statement(
  ({ atMs }: Pick<Term, 'atMs'>) => sql<Chore>`
    select ${NAME} as name
    where not exists (select 1 from tries where name = ${NAME} and next_attempt_at_ms > ${atMs})`,
);

const LEASE = statement(
  ({ atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql<Chore>`
    insert into tries (name, attempts, next_attempt_at_ms)
    values (${NAME}, 1, cast(${untilMs} as bigint))
    on conflict (name) do update
    set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
    where tries.next_attempt_at_ms <= ${atMs}
    returning name`,
);

const FREE = statement(
  ({ atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
    update tries set next_attempt_at_ms = ${atMs}
    where name = ${NAME} and next_attempt_at_ms > ${atMs} and next_attempt_at_ms <= ${untilMs}`,
);

/** Due from the beginning. */
export function choresIn(db: Db): DueWork<Chore> {
  return {
    due: (atMs) => DUE.all(db, { atMs }),
    lease: ({ atMs, untilMs }) => LEASE.all(db, { atMs, untilMs }),
    free: (term) => FREE.run(db, term),
  };
}
