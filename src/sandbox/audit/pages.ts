/** A whole table, a page at a time. */
import type { Page } from '../../storage/books.ts';

const PER_PAGE = 500;

/** Rows in the order of their key, which `keyOf` reads from the last one of a page. */
export async function* pages<Row, Key extends string | number>(
  read: (page: Page<Key>) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): AsyncIterable<Row> {
  for (let after: Key | undefined; ; ) {
    const rows = await read({ after, limit: PER_PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PER_PAGE) return;
    after = keyOf(last);
  }
}
