/** Work that is due, and leased to one server at a time by one statement. */
import { type Compilable, type Expression, sql } from 'kysely';
import type { Db } from './database.ts';
import { type Statement, statement, textStatement } from './statement.ts';

export interface Term {
  readonly atMs: number;
  /** End of the lease: if its holder has died, the work is due again. */
  readonly untilMs: number;
  /** Maximum number of rows. */
  readonly limit: number;
}

/** A table of work. */
export interface DueWork<Row> {
  /** Returns what is due, longest overdue first; leases nothing. */
  due(atMs: number, limit: number): Promise<readonly Row[]>;
  /**
   * Leases what is due, within a write: no other server gets it before the lease ends. Skips rows
   * that another write is changing. The rows are returned as leased, in no order; where a row counts
   * its changes, one by an earlier holder fails from then on.
   */
  lease(term: Term): Promise<readonly Row[]>;
  /** Makes due at `atMs` what may be leased: rows that are due later, until `untilMs`. */
  free(term: Pick<Term, 'atMs' | 'untilMs'>): Promise<void>;
}

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
  dueRows: (db: Db, due: Due) => DueRows<Row>,
): (db: Db, locksRows: boolean) => DueWork<Row> {
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
    free: (term) => free.run(db, term),
  });
}
