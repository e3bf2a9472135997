/** Steps that make tables, columns and indexes. Names are snake_case in SQL. */
import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely';
import type { Database, Db } from './database.ts';

/** One schema change; applied in order, steps lead from an empty database to this program's. */
export type Step = (db: Db, types: ColumnTypes) => Promise<void>;

/** What differs between engines. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /**
   * Adds a text of 32 random hex digits to each order, also to those that a server of the version
   * before adds, which does not know the column.
   */
  addPageIds(db: Db): Promise<void>;
}

export const SQLITE_TYPES: ColumnTypes = {
  bytes: 'blob',
  async addPageIds(db) {
    const give = sql`update partner_orders set page_id = lower(hex(randomblob(16)))`;
    await sql`alter table partner_orders add column page_id text`.execute(db);
    await give.execute(db);
    await sql`create trigger partner_orders_page after insert on partner_orders
      when new.page_id is null begin ${give} where order_id = new.order_id; end`.execute(db);
  },
};

export const POSTGRES_TYPES: ColumnTypes = {
  bytes: 'bytea',
  async addPageIds(db) {
    await sql`alter table partner_orders add column page_id text not null
      default replace(gen_random_uuid()::text, '-', '')`.execute(db);
  },
};

/** The type, and what else holds: not null, unless there is a question mark. */
type Column =
  | `${'text' | 'integer' | 'bigint' | 'bytes'}${'' | '?' | ' key' | ' unique' | ' unique?'}`
  | `${'text' | 'bigint'} of ${string}.${string}`;

type ColumnOf<Name extends keyof Database> = keyof Database[Name] & string;

/** Columns that are unique together, or the key, and the name of that constraint. */
type Together<Name extends keyof Database> = readonly [string, ColumnOf<Name>[]];

interface Constraints<Name extends keyof Database> {
  readonly unique?: Together<Name>;
  readonly key?: Together<Name>;
}

export function createTable<Name extends keyof Database>(
  name: Name,
  columns: Readonly<Partial<Record<ColumnOf<Name>, Column>>>,
  { unique, key }: Constraints<Name> = {},
): Step {
  return async (db, types) => {
    let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
    for (const [column, said] of Object.entries<Column | undefined>(columns)) {
      const [, type = '', place, is] = /^(\w+)(?: of (\S+))?(.*)$/.exec(said ?? '') ?? [];
      table = table.addColumn(column, dataType(type, types), (made) => {
        const needed = is?.endsWith('?') ? made : made.notNull();
        if (place !== undefined) return needed.references(place);
        if (is === ' key') return needed.primaryKey();
        return is?.startsWith(' unique') ? needed.unique() : needed;
      });
    }
    if (unique !== undefined) table = table.addUniqueConstraint(...unique);
    if (key !== undefined) table = table.addPrimaryKeyConstraint(...key);
    await table.execute();
  };
}

function dataType(type: string, types: ColumnTypes) {
  return type === 'bytes' ? types.bytes : (type as 'text' | 'integer' | 'bigint');
}

/** Adds a column that may be null. */
export function addColumn<Name extends keyof Database>(
  table: Name,
  column: ColumnOf<Name>,
  type: 'text' | 'bigint',
): Step {
  return async (db) => {
    await db.schema.alterTable(table).addColumn(column, type).execute();
  };
}

interface IndexOptions {
  readonly isUnique?: boolean;
  /** Which rows the index holds. */
  readonly where?: RawBuilder<boolean>;
}

export function createIndex<Name extends keyof Database>(
  name: string,
  table: Name,
  columns: ColumnOf<Name>[],
  { isUnique = false, where }: IndexOptions = {},
): Step {
  return async (db) => {
    const names: string[] = columns;
    let index = db.schema.createIndex(name).on(table).columns(names);
    if (isUnique) index = index.unique();
    if (where !== undefined) index = index.where(where);
    await index.execute();
  };
}

/** Steps that were added together. */
export function inTurn(...steps: readonly Step[]): Step {
  return async (db, types) => {
    for (const step of steps) await step(db, types);
  };
}
