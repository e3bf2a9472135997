/** The tables as SQL engines store them: each file of tables/ adds its own. */
import type { Kysely } from 'kysely';

export interface Database {
  /** Named values, of a shop and of a chain. */
  readonly facts: { readonly name: string; readonly value: string };
}

/** A connection, or a transaction. */
export type Db = Kysely<Database>;
