/** Lists that are written line by line while they still come in (`--ndjson`). */
import type { Endpoint } from '../contract/endpoint.ts';
import { type Facets, listed } from '../domain/listing.ts';
import type { Learned } from './completion/remembered.ts';
import type { Context } from './context.ts';
import { type ListingFlags, listingOf } from './listing.ts';
import { recordLine } from './output/fields.ts';
import { listView, type View } from './output/view.ts';
import { callOptions } from './place.ts';

/** What a command returns whose rows are on standard output already. */
export function written(learned: Learned): View {
  return listView({ records: [], columns: [], isWritten: true, learned });
}

interface RowSource<In, Row> {
  readonly endpoint: Endpoint<In, readonly Row[]>;
  readonly input: In;
  readonly facetsOf: (row: Row) => Facets;
  /** Told of every row, whether it fits or not. */
  readonly see: (row: Row) => void;
}

/** Whether rows can be written as they come: nothing that is asked for needs the whole list. */
export function isStreamed({ settings }: Context, { sort, reverse }: ListingFlags): boolean {
  const { format, fields } = settings.output;
  return format === 'ndjson' && fields === undefined && sort === undefined && reverse !== true;
}

/**
 * Writes the rows that fit, as they come, each only when those before it were taken. A reader that
 * has enough ends the call.
 * @returns how many rows there were, whether they fitted or not
 * @throws {ScripError} as a call, also after some rows
 */
export async function writeRows<In, Row>(
  context: Context,
  { endpoint, input, facetsOf, see }: RowSource<In, Row>,
  flags: ListingFlags,
): Promise<number> {
  const { callRows } = await import('../client/call-rows.ts');
  const { fetch, settings, stdout } = context;
  const { limit = Number.POSITIVE_INFINITY, ...listing } = listingOf(flags);
  const options = callOptions(context);
  let count = 0;
  let left = limit;
  for await (const rows of callRows(fetch, settings.checkoutUrl, endpoint, input, options)) {
    count += rows.length;
    rows.forEach(see);
    const { records } = listed(rows, facetsOf, { ...listing, limit: Math.max(0, left) });
    left -= records.length;
    stdout.write(records.map((record) => recordLine(record, settings.output)).join(''));
    if (!(await stdout.taken())) break;
  }
  return count;
}
