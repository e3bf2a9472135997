/** SQL as text and values, and what runs it. Names are snake_case in SQL, camelCase in rows. */
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';

/** A statement, or a part of one. */
export interface Sql<Row = unknown> {
  /** With a question mark for each value. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Never there: it is the type of the rows. */
  readonly row?: Row;
}

/** Builds SQL; what stands in the template is a part, or else a value. */
export function sql<Row = unknown>(
  texts: readonly string[],
  ...given: readonly unknown[]
): Sql<Row> {
  let [text = ''] = texts;
  const values: unknown[] = [];
  for (const [index, one] of given.entries()) {
    const part = isSql(one) ? one : { text: '?', values: [one] };
    text += part.text + (texts[index + 1] ?? '');
    values.push(...part.values);
  }
  return { text, values };
}

function isSql(given: unknown): given is Sql {
  return typeof given === 'object' && given !== null && 'text' in given && 'values' in given;
}

/** Parts or values, one after another. */
export function join(parts: readonly unknown[], between = ', '): Sql {
  const built = parts.map((part) => sql`${part}`);
  return {
    text: built.map(({ text }) => text).join(between),
    values: built.flatMap(({ values }) => values),
  };
}

/** A column has the name that it got when there was one rail. */
const VALID_UNTIL = { name: 'validUntil', column: 'last_valid_block_height' };

/** A name of a table or column. */
export function named(name: string): Sql {
  if (!/^\w+$/.test(name)) throw new ScripError('INTERNAL', verbatim('a name is no column'));
  if (name === VALID_UNTIL.name) return { text: `"${VALID_UNTIL.column}"`, values: [] };
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { text: `"${snake}"`, values: [] };
}

/** Columns and their values, as conditions or changes; without those that are undefined. */
export function equal(values: object, between = ' and '): Sql {
  const parts = given(values).map(([column, value]) => sql`${named(column)} = ${value}`);
  return join(parts, between);
}

export function given(values: object): readonly (readonly [string, unknown])[] {
  return Object.entries<unknown>({ ...values }).filter(([, value]) => value !== undefined);
}

/** One of these values; of none, no row. */
export function within(column: Sql, values: readonly unknown[]): Sql {
  return values.length === 0 ? sql`false` : sql`${column} in (${join(values)})`;
}

/** Locks the rows of a query, for engines that run writes in parallel. */
export function forUpdate(locksRows: boolean): Sql {
  return locksRows ? sql`for update` : sql``;
}

/** What a statement gave. */
export interface Result {
  readonly rows: readonly Record<string, unknown>[];
  /** How many rows it changed. */
  readonly changes: number;
}

export type Execute = (text: string, values: readonly unknown[]) => Promise<Result>;

/** A connection, or a transaction. Statements name the types of their rows. */
export type Db = ReturnType<typeof dbOver>;

export function dbOver(execute: Execute) {
  const all = async <Row>({ text, values }: Sql<Row>): Promise<readonly Row[]> =>
    // The statement says what its rows are.
    (await execute(text, values)).rows.map(inCamelCase) as Row[];
  const first = async <Row>(query: Sql<Row>): Promise<Row | undefined> => (await all(query))[0];
  const changes = async ({ text, values }: Sql): Promise<number> =>
    (await execute(text, values)).changes;
  return {
    all,
    first,
    /** Returns the only row; throws if there is none. */
    async only<Row>(query: Sql<Row>): Promise<Row> {
      const row = await first(query);
      if (row !== undefined) return row;
      throw new ScripError('INTERNAL', verbatim('a statement gave no row'));
    },
    run: async ({ text, values }: Sql): Promise<void> => {
      await execute(text, values);
    },
    changes,
    /** Whether a guarded change found its row in the expected state. */
    changesOne: async (query: Sql): Promise<boolean> => (await changes(query)) === 1,
  };
}

const CAMEL = new Map([[VALID_UNTIL.column, VALID_UNTIL.name]]);

function camel(column: string): string {
  const known = CAMEL.get(column);
  if (known !== undefined) return known;
  const made = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  CAMEL.set(column, made);
  return made;
}

function inCamelCase(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const column of Object.keys(row)) made[camel(column)] = row[column];
  return made;
}

/** Runs one piece of work at a time, in order of arrival. */
export function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

interface Bounds {
  begin(): Promise<unknown>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
}

/** Runs work between begin and commit, its statements one after another; if it throws, rolls back. */
export async function inTransaction<T>(
  execute: Execute,
  { begin, commit, rollback }: Bounds,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const inTurn = queue();
  let isOver = false;
  const db = dbOver((text, values) =>
    inTurn(async () => {
      if (!isOver) return execute(text, values);
      throw new ScripError('INTERNAL', verbatim('a transaction is used after its end'));
    }),
  );
  // What was begun beside a failure, and waits for its turn, must not run after the end.
  const end = (how: () => Promise<unknown>) => {
    isOver = true;
    return inTurn(how);
  };
  await begin();
  try {
    const result = await work(db);
    await end(commit);
    return result;
  } catch (error) {
    await end(rollback);
    throw error;
  }
}
