/** Lists of which no more is kept than their text, while they still come in. */

import type { ListedBrand, ListedProduct } from '../../api/catalog-reader.ts';
import { listed } from '../../domain/listing.ts';
import type { Learned } from '../completion/remembered.ts';
import type { With } from '../context.ts';
import type { RowText } from '../output/format.ts';
import { isRowFormat, type RowFormatName, rowFormat } from '../output/row-text.ts';
import { listView, type View } from '../output/view.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { type ListingFlags, listingOf } from './listing.ts';

/** What a command returns whose rows are on standard output already. */
export function written(learned: Learned): View {
  return listView({ records: [], columns: [], isWritten: true, learned });
}

interface RowSource<Row> {
  readonly format: RowFormatName;
  /** Told to forget the rows so far where the list is asked for anew; without it they are final. */
  readonly rows: (startOver?: () => void) => AsyncIterable<readonly Row[]>;
  /** Told of every row, whether it fits or not; of some twice where the list was asked for anew. */
  readonly see: (row: Row) => void;
}

/** The format, where rows can be written in it as they come: nothing asked for needs the whole list. */
export function streamedAs(
  { settings, io: { stdout } }: With<'settings' | 'io'>,
  { sort, reverse }: ListingFlags,
): RowFormatName | undefined {
  const { format, fields } = settings.output;
  // A document for people is indented as a whole.
  if (format === 'json' && stdout.isTerminal) return undefined;
  if (fields !== undefined || sort !== undefined || reverse === true) return undefined;
  return isRowFormat(format) ? format : undefined;
}

/**
 * Writes the documents of the rows that fit. Lines are written as they come, each only when those before it were
 * taken, and a reader that has enough ends the call; a document is written when it is whole.
 * @throws {ScripError} as a call, also after some lines
 */
export async function writeRows<Row extends ListedBrand | ListedProduct>(
  { io: { stdout }, system }: With<'io' | 'system'>,
  { format, rows, see }: RowSource<Row>,
  flags: ListingFlags,
): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY, ...listing } = listingOf(flags);
  const { isFinal, create } = await rowFormat(format);
  const fresh = () => ({ text: create(), count: 0, left: limit });
  let list = fresh();
  const startOver = () => {
    list = fresh();
  };
  for await (const some of rows(isFinal ? undefined : startOver)) {
    // A short list comes at once, and what answers it is loaded by now.
    if (list.count > 0) await system.keepSmall();
    list.count += some.length;
    some.forEach(see);
    const most = { ...listing, limit: Math.max(0, list.left) };
    const { records } = listed(some, ({ facets }) => facets, most);
    list.left -= records.length;
    stdout.write(list.text.add(records.map(({ document }) => document)));
    if (isFinal && !(await stdout.taken())) return;
  }
  if (list.count > 0) await writeEnd(list.text, stdout);
}

async function writeEnd(text: RowText, stdout: OutputStream): Promise<void> {
  for (const piece of text.end()) {
    stdout.write(piece);
    if (!(await stdout.taken())) return;
  }
}
