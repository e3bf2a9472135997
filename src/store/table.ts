/** A table: the steps that make it, and its plain statements. Names are snake_case in SQL. */
import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely';
import { type Db, rowsOf, statement } from './statement.ts';
import type { ColumnTypes, Step } from './steps.ts';

/** The type, and what else holds: not null, unless there is a question mark. */
type Column =
  | `${'text' | 'integer' | 'bigint' | 'bytes'}${'' | '?' | ' key' | ' unique' | ' unique?'}`
  | `${'text' | 'bigint'} of ${string}.${string}`;

interface IndexOptions {
  readonly isUnique?: boolean;
  /** Which rows the index holds. */
  readonly where?: RawBuilder<boolean>;
}

/** Rows after the key `after`; from the first row if it is omitted. */
export interface Page<Key = string> {
  readonly after?: Key | undefined;
  readonly limit: number;
}

/** Values that columns have. */
type Match<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };

export function table<Row extends object>(name: string, key: keyof Row & string) {
  type Name = keyof Row & string;
  /** Columns that are unique together, or the key, and the name of that constraint. */
  type Together = readonly [string, Name[]];
  interface Rows {
    readonly rows: readonly Row[];
  }
  const own = sql.table(name);
  const INSERT = statement(({ rows }: Rows) => inserted(rows));
  const ADD = statement(
    ({ rows }: Rows) => sql`${inserted(rows)} on conflict (${sql.ref(key)}) do nothing`,
  );
  const PUT = statement(({ rows }: Rows) => {
    const others = Object.keys(rows[0] ?? {}).filter((column) => column !== key);
    const changes = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
    return sql`${inserted(rows)} on conflict (${sql.ref(key)}) do update set ${sql.join(changes)}`;
  });
  const FIRST = statement((match: Match<Row>) => selected(sql`where ${equal(match)}`));
  const UPDATE = statement(
    ({ match, after }: { readonly match: Match<Row>; readonly after: Partial<Row> }) =>
      sql`update ${own} set ${equal(after, sql`, `)} where ${equal(match)}`,
  );
  const REMOVE = statement((match: Match<Row>) => sql`delete from ${own} where ${equal(match)}`);

  function inserted(rows: readonly Row[]): RawBuilder<Row> {
    const columns = Object.keys(rows[0] ?? {}).map((column) => sql.ref(column));
    const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
    return sql`insert into ${own} (${sql.join(columns)}) values ${sql.join(values)}`;
  }

  function selected(rest: RawBuilder<unknown>): RawBuilder<Row> {
    return sql<Row>`select * from ${own} ${rest}`;
  }

  const select = (db: Db, rest: RawBuilder<unknown>) => rowsOf(db, selected(rest));

  return {
    /** A statement that inserts rows. */
    inserted,
    create(
      columns: Readonly<Partial<Record<Name, Column>>>,
      { unique, keys }: { readonly unique?: Together; readonly keys?: Together } = {},
    ): Step {
      return async (db, types) => {
        let made: CreateTableBuilder<string, string> = db.schema.createTable(name);
        for (const [column, said] of Object.entries<Column | undefined>(columns)) {
          made = withColumn(made, column, said ?? 'text', types);
        }
        if (unique !== undefined) made = made.addUniqueConstraint(...unique);
        if (keys !== undefined) made = made.addPrimaryKeyConstraint(...keys);
        await made.execute();
      };
    },
    /** Adds a column that may be null. */
    add(column: Name, type: 'text' | 'bigint'): Step {
      return async (db) => {
        await db.schema.alterTable(name).addColumn(column, type).execute();
      };
    },
    index(index: string, columns: Name[], { isUnique, where }: IndexOptions = {}): Step {
      return async (db) => {
        let made = db.schema.createIndex(index).on(name).columns<string>(columns);
        if (isUnique) made = made.unique();
        if (where !== undefined) made = made.where(where);
        await made.execute();
      };
    },
    /** The statements, over one connection or transaction. */
    in: (db: Db) => ({
      /** @throws {ScripError} RECORD_EXISTS */
      insert: (...rows: readonly Row[]) => INSERT.run(db, { rows }),
      /** Inserts those whose key no row has; false if one has it. */
      add: async (...rows: readonly Row[]) =>
        (await ADD.changes(db, { rows })) === BigInt(rows.length),
      /** Inserts or replaces by the key. */
      put: (...rows: readonly Row[]) => PUT.run(db, { rows }),
      /** Returns the row with these values. */
      first: (match: Match<Row>) => FIRST.first(db, match),
      /** Returns the rows of a condition, in an order. */
      select: (rest: RawBuilder<unknown>) => select(db, rest),
      /** Returns the rows after a key, in its order; keys of text are never empty. */
      page: ({ after = '', limit }: Page) => {
        const place = sql.ref(key);
        return select(db, sql`where ${place} > ${after} order by ${place} limit ${limit}`);
      },
      /** Changes a row that has these values; false if there is none. */
      update: (match: Match<Row>, after: Partial<Row>) => UPDATE.changesOne(db, { match, after }),
      remove: (match: Match<Row>) => REMOVE.run(db, match),
    }),
  };
}

function withColumn(
  made: CreateTableBuilder<string, string>,
  name: string,
  said: Column,
  types: ColumnTypes,
): CreateTableBuilder<string, string> {
  const [, type = '', place, is = ''] = /^(\w+)(?: of (\S+))?(.*)$/.exec(said) ?? [];
  const dataType = type === 'bytes' ? types.bytes : (type as 'text' | 'integer' | 'bigint');
  return made.addColumn(name, dataType, (column) => {
    const needed = is.endsWith('?') ? column : column.notNull();
    if (place !== undefined) return needed.references(place);
    if (is === ' key') return needed.primaryKey();
    return is.startsWith(' unique') ? needed.unique() : needed;
  });
}

/** Columns and their values, as conditions or changes. */
export function equal(values: object, between = sql` and `): RawBuilder<unknown> {
  const parts = Object.entries<unknown>({ ...values });
  return sql.join(
    parts.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    between,
  );
}
