/** Work that is due, and leased to one server at a time by one statement. */
import { type RawBuilder, sql } from 'kysely';
import { type Db, statement } from './statement.ts';

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
  readonly where?: RawBuilder<unknown>;
}

interface Due {
  readonly atMs: number;
  readonly limit: number;
}

/** More rows than a server leases. */
export const ANY = 1_000_000;

export function dueWorkOf<Row>({
  name,
  key,
  dueAt,
  count,
  where = sql`true`,
}: Work): (db: Db, locksRows: boolean) => DueWork<Row> {
  const [own, id, at] = [sql.table(name), sql.ref(key), sql.ref(dueAt)];
  const counted = count === undefined ? sql`` : sql`, ${sql.ref(count)} = ${sql.ref(count)} + 1`;
  const dueRows = ({ atMs, limit }: Due) => sql<Row>`select * from ${own}
    where ${where} and ${at} <= ${atMs} order by ${at}, ${id} limit ${limit}`;
  const leases = (lock: RawBuilder<unknown>) =>
    statement(
      ({ atMs, untilMs, limit }: Term) => sql<Row>`
        with due_work as materialized (${dueRows({ atMs, limit })} ${lock})
        update ${own}
        set ${at} = ${untilMs}${counted}
        where ${id} in (select ${id} from due_work)
        returning *`,
    );
  const due = statement(dueRows);
  const free = statement(
    ({ atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
      with held as materialized (${dueRows({ atMs: untilMs, limit: ANY })})
      update ${own}
      set ${at} = ${atMs}
      where ${id} in (select ${id} from held) and ${at} > ${atMs}`,
  );
  const alone = leases(sql``);
  const besideOthers = leases(sql`for update skip locked`);
  return (db, locksRows) => ({
    due: (atMs, limit) => due.all(db, { atMs, limit }),
    lease: (term) => (locksRows ? besideOthers : alone).all(db, term),
    free: (term) => free.run(db, term),
  });
}
