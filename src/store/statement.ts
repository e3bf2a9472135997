/** SQL statements that are built and compiled once, and run with new values each time. */
import type { CompiledQuery, Kysely, QueryResult, RawBuilder } from 'kysely';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';

/** A connection, or a transaction. Statements name the types of their rows. */
export type Db = Kysely<unknown>;

export interface Statement<Values, Row> {
  run(db: Db, values: Values): Promise<void>;
  all(db: Db, values: Values): Promise<readonly Row[]>;
  first(db: Db, values: Values): Promise<Row | undefined>;
  /** Returns the only row; throws if there is none. */
  only(db: Db, values: Values): Promise<Row>;
  /** Returns how many rows it changed. */
  changes(db: Db, values: Values): Promise<bigint>;
  /** Whether a guarded change found its row in the expected state. */
  changesOne(db: Db, values: Values): Promise<boolean>;
}

/**
 * Creates a statement. Building and compiling one takes longer than running most of them.
 * @param build called per engine and per shape of the values: other columns, or a list of another
 * length. Its argument holds placeholders, which only Kysely may read.
 */
export function statement<Values extends object, Row>(
  build: (given: Values) => RawBuilder<Row>,
): Statement<Values, Row> {
  const byEngine = new WeakMap<object, Map<string, Compiled<Row>>>();
  const compiledFor = (db: Db, values: Values, { shape }: Flat): Compiled<Row> => {
    const { adapter } = db.getExecutor();
    const known = byEngine.get(adapter) ?? new Map<string, Compiled<Row>>();
    byEngine.set(adapter, known);
    const found = known.get(shape);
    if (found) return found;
    // The same fields with a placeholder for each value.
    const made = compile(db, build(placesIn(values, { next: 0 }) as Values));
    if (known.size >= MOST_SHAPES) known.clear();
    known.set(shape, made);
    return made;
  };
  const run = (db: Db, values: Values): Promise<QueryResult<Row>> => {
    const flat: Flat = { shape: '', values: [] };
    flatten(values, flat);
    const { query, order } = compiledFor(db, values, flat);
    return db.executeQuery({ ...query, parameters: order(flat.values) });
  };
  return {
    run: async (db, values) => {
      await run(db, values);
    },
    all: async (db, values) => (await run(db, values)).rows,
    first: async (db, values) => (await run(db, values)).rows[0],
    only: async (db, values) => {
      const [row] = (await run(db, values)).rows;
      if (row !== undefined) return row;
      throw new ScripError('INTERNAL', verbatim('a statement gave no row'));
    },
    changes: async (db, values) => (await run(db, values)).numAffectedRows ?? 0n,
    changesOne: async (db, values) => (await run(db, values)).numAffectedRows === 1n,
  };
}

/** Runs a query that is built anew each time. */
export async function rowsOf<Row>(db: Db, query: RawBuilder<Row>): Promise<readonly Row[]> {
  return (await query.execute(db)).rows;
}

/** Limits memory: a list's length is rarely repeated. */
const MOST_SHAPES = 50;

/** Placeholder for the value with this index. */
class Place {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

interface Compiled<Row> {
  readonly query: CompiledQuery<Row>;
  /** Returns the values in the statement's order, with the statement's own constants. */
  order(values: readonly unknown[]): readonly unknown[];
}

function compile<Row>(db: Db, built: RawBuilder<Row>): Compiled<Row> {
  const query = built.compile(db);
  return {
    query,
    order: (values) =>
      query.parameters.map((own) => (own instanceof Place ? values[own.index] : own)),
  };
}

interface Flat {
  shape: string;
  readonly values: unknown[];
}

/** Skips undefined fields, as Kysely does. */
function flatten(given: unknown, into: Flat): void {
  if (!isGroup(given)) {
    into.values.push(given);
    return;
  }
  into.shape += Array.isArray(given) ? '[' : '{';
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Array.isArray(given)) into.shape += `${name} `;
    else into.shape += ',';
    flatten(value, into);
  }
  into.shape += '}';
}

function placesIn(given: unknown, count: { next: number }): unknown {
  if (!isGroup(given)) {
    const place = new Place(count.next);
    count.next += 1;
    return place;
  }
  if (Array.isArray(given)) return given.map((value) => placesIn(value, count));
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, placesIn(value, count)]],
    ),
  );
}

function isGroup(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !(given instanceof Uint8Array);
}
