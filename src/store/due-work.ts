/** Work that is due, and leased to one server at a time. */

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
