/** Leases of due work, as one statement. */
import { type Compilable, type Expression, type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { DueWork, Term } from '../due-work.ts';
import { type Statement, statement, textStatement } from './statement.ts';

/** A query over the rows that are due, and their lock. */
interface DueRows<Row> extends Compilable<Row>, Expression<unknown> {
  forUpdate(): { skipLocked(): Expression<unknown> };
}

interface Table {
  readonly name: 'deliveries' | 'outbox' | 'partnerOrders' | 'paymentRequests' | 'payouts';
  readonly key: string;
  /** Column of the time at which a row is due. */
  readonly dueAt: string;
  /** Column that counts the changes; raised, so that an earlier holder's change fails. */
  readonly count?: string;
}

interface Due {
  readonly atMs: number;
  readonly limit: number;
}

/** More rows than a server leases. */
export const ANY = 1_000_000;

/** @param dueRows the rows that are due, longest overdue first, up to the limit */
export function dueWorkOf<Row>(
  table: Table,
  dueRows: (db: Kysely<Database>, due: Due) => DueRows<Row>,
): (db: Kysely<Database>, locksRows: boolean) => DueWork<Row> {
  const { name, key, dueAt, count } = table;
  const counted = count === undefined ? sql`` : sql`, ${sql.ref(count)} = ${sql.ref(count)} + 1`;
  const leases = (lock: (rows: DueRows<Row>) => Expression<unknown>): Statement<Term, Row> =>
    textStatement(
      (db, { atMs, untilMs, limit }) => sql`
        with due_work as materialized ${lock(dueRows(db, { atMs, limit }))}
        update ${sql.table(name)}
        set ${sql.ref(dueAt)} = ${untilMs}${counted}
        where ${sql.ref(key)} in (select ${sql.ref(key)} from due_work)
        returning *`,
    );
  const due = statement(dueRows);
  const free = textStatement(
    (db, { atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
      with held as materialized ${dueRows(db, { atMs: untilMs, limit: ANY })}
      update ${sql.table(name)}
      set ${sql.ref(dueAt)} = ${atMs}
      where ${sql.ref(key)} in (select ${sql.ref(key)} from held) and ${sql.ref(dueAt)} > ${atMs}`,
  );
  const alone = leases((rows) => rows);
  const besideOthers = leases((rows) => rows.forUpdate().skipLocked());
  return (db, locksRows) => ({
    due: (atMs, limit) => due.all(db, { atMs, limit }),
    lease: (term) => (locksRows ? besideOthers : alone).all(db, term),
    free: async (term) => {
      await free.run(db, term);
    },
  });
}
