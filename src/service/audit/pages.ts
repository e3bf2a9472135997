/** Reads a whole table page by page. */
import type { Page } from '../../store/tables/books.ts';

const PER_PAGE = 500;

/** Yields rows in key order; `keyOf` reads the key of a page's last row, where the next page begins. */
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
