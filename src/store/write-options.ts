/** What a store may know of a write beforehand. */

export interface WriteOptions {
  /**
   * The work calls one method of one table, and that changes rows by one statement: such a statement
   * commits by itself where begin and commit would cost a trip to the server each.
   */
  readonly isSingle?: boolean;
}

export const SINGLE: WriteOptions = { isSingle: true };
