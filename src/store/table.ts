/** A table, and its plain statements. */
import { type Db, equal, given, join, named, type Sql, sql } from './sql.ts';

const PAGE_ROWS = 500;

/** Values that columns have. */
type Match<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };

export function table<Row extends object>(name: string, key: keyof Row & string) {
  const [own, place] = [named(name), named(key)];

  function inserted(rows: readonly Row[]): Sql {
    const columns = given(rows[0] ?? {}).map(([column]) => named(column));
    const values = rows.map((row) => sql`(${join(given(row).map(([, value]) => value))})`);
    return sql`insert into ${own} (${join(columns)}) values ${join(values)}`;
  }

  return {
    /** A statement that inserts rows. */
    inserted,
    /** The statements, over one connection or transaction. */
    in(db: Db) {
      const select = (rest: Sql) => db.all(sql<Row>`select * from ${own} ${rest}`);
      return {
        /** @throws {ScripError} RECORD_EXISTS */
        insert: (...rows: readonly Row[]) => db.run(inserted(rows)),
        /** Inserts those whose key no row has; false if one has it. */
        add: async (...rows: readonly Row[]) =>
          (await db.changes(sql`${inserted(rows)} on conflict (${place}) do nothing`)) ===
          rows.length,
        /** Inserts or replaces by the key. */
        put: (...rows: readonly Row[]) => {
          const others = given(rows[0] ?? {}).filter(([column]) => column !== key);
          const changes = others.map(
            ([column]) => sql`${named(column)} = excluded.${named(column)}`,
          );
          return db.run(
            sql`${inserted(rows)} on conflict (${place}) do update set ${join(changes)}`,
          );
        },
        /** Returns the row with these values. */
        first: (match: Match<Row>) =>
          db.first(sql<Row>`select * from ${own} where ${equal(match)}`),
        /** Returns the rows of a condition, in an order. */
        select,
        /** Reads the whole table in the order of its key, page by page. */
        async *rows(): AsyncIterable<Row> {
          for (let from = sql``; ; ) {
            const page = await select(sql`${from} order by ${place} limit ${PAGE_ROWS}`);
            yield* page;
            const last = page.at(-1);
            if (last === undefined || page.length < PAGE_ROWS) return;
            from = sql`where ${place} > ${last[key]}`;
          }
        },
        /** Changes a row that has these values; false if there is none. */
        update: (match: Match<Row>, after: Partial<Row>) =>
          db.changesOne(sql`update ${own} set ${equal(after, ', ')} where ${equal(match)}`),
        remove: (match: Match<Row>) => db.run(sql`delete from ${own} where ${equal(match)}`),
      };
    },
  };
}
