import { type Kysely, sql } from 'kysely';
import type { Chore, Chores } from '../chores.ts';
import type { Database } from '../database.ts';
import type { Term } from '../due-work.ts';
import { textStatement } from './statement.ts';

const NAME = sql.lit<Chore['name']>('accounts');

const DUE = textStatement(
  (_db, { atMs }: Pick<Term, 'atMs'>) => sql<Chore>`
    select ${NAME} as name
    where not exists (select 1 from tries where name = ${NAME} and next_attempt_at_ms > ${atMs})`,
);

const LEASE = textStatement(
  (_db, { atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql<Chore>`
    insert into tries (name, attempts, next_attempt_at_ms)
    values (${NAME}, 1, cast(${untilMs} as bigint))
    on conflict (name) do update
    set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
    where tries.next_attempt_at_ms <= ${atMs}
    returning name`,
);

const FREE = textStatement(
  (_db, { atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
    update tries set next_attempt_at_ms = ${atMs}
    where name = ${NAME} and next_attempt_at_ms > ${atMs} and next_attempt_at_ms <= ${untilMs}`,
);

export function choresIn(db: Kysely<Database>): Chores {
  return {
    due: (atMs) => DUE.all(db, { atMs }),
    lease: ({ atMs, untilMs }) => LEASE.all(db, { atMs, untilMs }),
    free: async (term) => {
      await FREE.run(db, term);
    },
  };
}
