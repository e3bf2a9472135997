/** Work that is due, and leased to one server at a time by one statement. */
import { type Db, named, type Sql, sql } from './sql.ts';

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

interface Work {
  readonly name: string;
  readonly key: string;
  /** Column of the time at which a row is due. */
  readonly dueAt: string;
  /** Column that counts the changes; raised, so that an earlier holder's change fails. */
  readonly count?: string;
  /** Which rows are work. */
  readonly where?: Sql;
}

/** More rows than a server leases. */
export const ANY = 1_000_000;

export function dueWorkOf<Row>({ name, key, dueAt, count, where = sql`true` }: Work) {
  const [own, id, at] = [named(name), named(key), named(dueAt)];
  const counted = count === undefined ? sql`` : sql`, ${named(count)} = ${named(count)} + 1`;
  const dueRows = (atMs: number, limit: number) => sql<Row>`select * from ${own}
    where ${where} and ${at} <= ${atMs} order by ${at}, ${id} limit ${limit}`;
  return (db: Db, locksRows: boolean): DueWork<Row> => ({
    due: (atMs, limit) => db.all(dueRows(atMs, limit)),
    lease: ({ atMs, untilMs, limit }) =>
      db.all(sql<Row>`
        with due_work as materialized (
          ${dueRows(atMs, limit)} ${locksRows ? sql`for update skip locked` : sql``}
        )
        update ${own}
        set ${at} = ${untilMs}${counted}
        where ${id} in (select ${id} from due_work)
        returning *`),
    free: ({ atMs, untilMs }) =>
      db.run(sql`
        with held as materialized (${dueRows(untilMs, ANY)})
        update ${own}
        set ${at} = ${atMs}
        where ${id} in (select ${id} from held) and ${at} > ${atMs}`),
  });
}
