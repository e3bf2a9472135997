/** Parses cart files: CSV, JSON or JSON lines with products and recipients (docs/automate/batches.md); and reads the products of a command, from its arguments or a cart. */

import type { OrderItem } from '../../api/merchant.ts';
import { attempt } from '../../domain/attempt.ts';
import { readStrictJson } from '../../domain/canonical-json.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import { checkThousands, mayBeThousands, withoutThousands } from '../../domain/money/money.ts';
import { parseQuantity } from '../amount.ts';
import { countryFor } from '../browsing/country.ts';
import type { With } from '../context.ts';

interface CartEntry {
  /** Product id; without one the product is found by brand and value. */
  readonly product?: string;
  readonly to?: string;
  readonly value?: string;
  readonly quantity: number;
  readonly country?: string;
  readonly brand?: string;
  /** The buyer's own note; never sent to the merchant. */
  readonly note?: string;
}

/** A line of the file. */
export interface CartLine {
  readonly number: number;
  /** Undefined if it cannot be read. */
  readonly entry?: CartEntry;
  /** Returns the line with another brand; undefined if it names no brand. */
  readonly withBrand?: (brand: string) => string | undefined;
  /** With `details.line` and `.field`. With an invalid quantity the entry has 1. */
  readonly problem?: ScripError | undefined;
}

const COLUMNS = ['product', 'to', 'value', 'quantity', 'country', 'brand', 'note'] as const;
type Column = (typeof COLUMNS)[number];
/** The columns of a CSV file without a header; a note needs a header. */
const UNNAMED = COLUMNS.slice(0, 6);
type Fields = Readonly<Partial<Record<Column, string>>>;

/** Other names of columns. */
const ALIASES: ReadonlyMap<string, Column> = new Map([['product_id', 'product']]);

const MAX_ENTRIES = 1_000;
/** In characters; every field that a merchant accepts is far shorter. */
const MAX_FIELD = 500;

/** A line with a product id. */
type CartProduct = CartEntry & { readonly product: string };

/**
 * Parses a cart whose lines must all be valid and have a product id.
 * @throws {ScripError} INPUT_INVALID with the first wrong line, and the others in its `details.lines`
 */
export function parseCart(text: string): readonly CartProduct[] {
  const problems: ScripError[] = [];
  const products = readCart(text, MAX_ENTRIES).flatMap(({ number, entry, problem }) => {
    const product = entry?.product;
    if (problem !== undefined) problems.push(problem);
    else if (product === undefined) problems.push(invalid(number, NO_PRODUCT, 'product_id'));
    return entry === undefined || product === undefined ? [] : [{ ...entry, product }];
  });
  const [first, ...others] = problems;
  if (first === undefined) return products;
  if (others.length === 0) throw first;
  const lines = problems.map(({ details, message }) => ({ ...details, message }));
  throw new ScripError(
    first.code,
    joined(
      problems.map(({ sentence }) => sentence),
      '; ',
    ),
    { hint: first.hint, details: { ...first.details, lines } },
  );
}

const NO_PRODUCT = t`has no product`;

/**
 * Parses a cart line by line. CSV may start with a header; without one the columns are those of UNNAMED.
 * Lines of CSV and JSON lines are numbered as in an editor, entries of a JSON array from 1.
 * @throws {ScripError} INPUT_INVALID for a text that is not a cart, or has too many lines
 */
export function readCart(text: string, maxEntries: number): readonly CartLine[] {
  const whole = text.replace(/^\uFEFF/, '');
  if (whole.includes('\0')) {
    throw new ScripError(
      'INPUT_INVALID',
      t`The cart is not UTF-8; it looks like UTF-16 without a byte order mark`,
      { hint: t`Save the file as CSV in UTF-8.` },
    );
  }
  const lines = whole.trimStart().startsWith('[') ? arrayLines(whole) : textLines(whole);
  if (lines.length === 0) {
    throw new ScripError('INPUT_INVALID', t`The cart is empty`, {
      hint: t`Write the header brand,value,to and below it a line for each gift, such as: Amazon,25,friend@example.com`,
    });
  }
  if (lines.length <= maxEntries) return lines;
  throw new ScripError(
    'INPUT_INVALID',
    t`The cart has ${lines.length} lines; the maximum is ${maxEntries}`,
  );
}

function textLines(text: string): readonly CartLine[] {
  const lines = text
    .split(/\r\n?|\n/)
    // A tab at an end may separate an empty field.
    .map((line, index) => ({ line: line.replace(/^[^\S\t]+|[^\S\t]+$/g, ''), number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  return lines[0]?.line.trimStart().startsWith('{')
    ? lines.map(({ line, number }) =>
        lineOf(number, () => readObject(parseJson(line, number), number), asJson),
      )
    : csvLines(lines);
}

function arrayLines(text: string): readonly CartLine[] {
  const value = parseJson(text, undefined);
  if (!Array.isArray(value)) throw new ScripError('INPUT_INVALID', t`The cart is not JSON`);
  return value.map((element: unknown, index) =>
    lineOf(index + 1, () => readObject(element, index + 1), asJson),
  );
}

/** A problem of one line belongs to that line only. */
function lineOf(number: number, read: () => Fields, write: (fields: Fields) => string): CartLine {
  return attempt<CartLine, CartLine>(
    () => {
      const fields = read();
      const withBrand = (brand: string) =>
        fields.brand === undefined ? undefined : write({ ...fields, brand });
      return { number, withBrand, ...entryOf(fields, number) };
    },
    (problem) => ({ number, problem }),
  );
}

function asJson(fields: Fields): string {
  return JSON.stringify(fields);
}

function asCsv(fields: Fields, separator: string): string {
  const cells = Object.values(fields);
  return cells
    .map((cell) => (/[",;\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(separator);
}

function parseJson(text: string, number: number | undefined): unknown {
  const read = readStrictJson(text);
  if (read.problem === undefined) return read.value;
  const where = number === undefined ? t`The cart` : t`Line ${number} of the cart`;
  throw new ScripError('INPUT_INVALID', t`${where} ${read.problem}`, {
    cause: read.cause,
    details: number === undefined ? {} : { line: number, field: null },
  });
}

function readObject(value: unknown, number: number): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(number, t`is not an object`);
  }
  const given = Object.entries(value).filter(([, field]) => field !== null);
  return fieldsOf(
    given.map(([name, field]) => {
      if (typeof field === 'string') return [name, field];
      if (typeof field === 'number') return [name, withoutThousands(String(field))];
      throw invalid(number, t`has a "${name}" that is neither text nor a number`, name);
    }),
    number,
  );
}

function fieldsOf(
  pairs: readonly (readonly [name: string, value: string])[],
  number: number,
): Fields {
  const fields = new Map<Column, string>();
  for (const [name, value] of pairs) {
    const column = columnOf(name);
    if (column === undefined) throw invalid(number, t`has the unknown field "${name}"`, name);
    if (fields.has(column)) throw invalid(number, t`has "${name}" twice`, column);
    if (value.length > MAX_FIELD) {
      throw invalid(number, t`has a "${name}" of more than ${MAX_FIELD} characters`, column);
    }
    fields.set(column, value);
  }
  return Object.fromEntries(fields);
}

interface Numbered {
  readonly line: string;
  readonly number: number;
}

function csvLines(given: readonly Numbered[]): readonly CartLine[] {
  checkLineEnds(given);
  // Excel's own line, which names the separator of the others.
  const named = /^"?sep=(.?)"?$/i.exec(given[0]?.line ?? '');
  const lines = named === null ? given : given.slice(1);
  const [first] = lines;
  if (first === undefined) return [];
  const separator = named === null ? separatorOf(first) : (named[1] ?? '');
  if (!SEPARATORS.includes(separator)) throw otherSeparator();
  const head = headOf(first, separator);
  const names: readonly string[] = head ?? UNNAMED;
  return lines
    .slice(head === undefined ? 0 : 1)
    .filter(({ line }) => line.replaceAll(separator, '').trim() !== '')
    .map(({ line, number }) =>
      lineOf(
        number,
        () => csvFields({ line, number }, names, separator),
        (fields) => asCsv(fields, separator),
      ),
    );
}

function csvFields(
  { line, number }: Numbered,
  names: readonly string[],
  separator: string,
): Fields {
  const cells = csvCells(line, number, separator);
  if (cells.length > names.length) throw invalid(number, t`has ${cells.length} fields`);
  return fieldsOf(
    cells.map((cell, at) => [names[at] ?? '', cell]),
    number,
  );
}

/** A quoted line end would be reported as two wrong lines. @throws {ScripError} INPUT_INVALID */
function checkLineEnds(lines: readonly Numbered[]): void {
  const open = lines.filter(({ line }) => line.split('"').length % 2 === 0);
  const [first] = open;
  if (first === undefined || open.length < 2) return;
  if (!/(?:^|[,;\t])\s*"(?:[^"]|"")*$/.test(first.line)) return;
  throw invalid(first.number, t`has a quoted field that goes on in the next line`);
}

const SEPARATORS = [',', ';', '\t'];

/**
 * Spreadsheets in many countries separate with semicolons, their Unicode text with tabs; only a header shows
 * that they mean it.
 * @throws {ScripError} INPUT_INVALID for another separator without a header
 */
function separatorOf(first: Numbered): string {
  if (first.line.includes(',') || !/[;\t]/.test(first.line)) return ',';
  const other = SEPARATORS.find(
    (one) => first.line.includes(one) && headOf(first, one) !== undefined,
  );
  if (other === undefined) throw otherSeparator();
  return other;
}

function otherSeparator(): ScripError {
  return new ScripError(
    'INPUT_INVALID',
    t`The cart has no commas: its fields have another separator`,
    { hint: t`Save the file as comma-separated values.` },
  );
}

/**
 * Returns the column names if this line is a header: it names a product column, or any two columns.
 * @throws {ScripError} INPUT_INVALID for a column that is unknown or occurs twice
 */
function headOf({ line, number }: Numbered, separator: string): readonly string[] | undefined {
  // A line that cannot be parsed is no header; it is reported as a line.
  const cells = attempt(
    () => csvCells(line, number, separator),
    () => [],
  );
  const columns = cells.map(columnOf);
  const known = columns.filter((column) => column !== undefined);
  if (!known.includes('product') && known.length < 2) return undefined;
  const stranger = cells.find((_, at) => columns[at] === undefined);
  if (stranger !== undefined) {
    throw invalid(number, t`names the unknown column "${stranger}"`, stranger);
  }
  if (new Set(known).size < known.length) throw invalid(number, t`has a column twice`);
  return cells;
}

/** Parses one line of RFC 4180; a field cannot span lines. */
function csvCells(line: string, number: number, separator: string): readonly string[] {
  const cells: string[] = [];
  // A tab that separates is no space around a field.
  const space = `[^\\S${separator}]*`;
  const field = new RegExp(
    `${space}(?:"((?:[^"]|"")*)"|([^"${separator}]*))${space}(${separator}|$)`,
    'y',
  );
  for (let rest = true; rest; ) {
    const match = field.exec(line);
    if (match === null) throw invalid(number, t`has a misplaced quote`);
    cells.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'));
    rest = match[3] === separator;
  }
  return cells;
}

function columnOf(name: string): Column | undefined {
  const lower = name.trim().toLowerCase();
  return ALIASES.get(lower) ?? COLUMNS.find((column) => column === lower);
}

function entryOf(
  { quantity = '', ...rest }: Fields,
  number: number,
): Pick<CartLine, 'entry' | 'problem'> {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''));
  const problem = valueProblem(rest.value, number);
  if (/^[1-9]\d{0,2}$/.test(quantity)) {
    return { entry: { quantity: Number(quantity), ...given }, problem };
  }
  const entry = { quantity: 1, ...given };
  if (quantity === '') return { entry, problem };
  const what = t`has the quantity "${quantity}", which is not a whole number from 1 to 999`;
  return { entry, problem: invalid(number, what, 'quantity') };
}

function valueProblem(value = '', number: number): ScripError | undefined {
  if (/^\s*\d+,\d{1,2}\s*$/.test(value)) {
    const what = t`has the value "${value.trim()}" with a decimal comma; write a point`;
    return invalid(number, what, 'value');
  }
  if (!mayBeThousands(value)) return undefined;
  const whole = value.trim().replace('.', '');
  return invalid(
    number,
    t`has the value "${value.trim()}", which may mean ${whole}, or a value with three decimals`,
    'value',
  );
}

function invalid(number: number, problem: Message, field: string | null = null): ScripError {
  return new ScripError('INPUT_INVALID', t`Line ${number} of the cart ${problem}`, {
    hint: t`Write brand,value,to on each line under those names, or JSON such as {"brand":"…","value":25,"to":"…"}.`,
    details: { line: number, field },
  });
}

interface ItemFlags {
  readonly cart?: string | undefined;
  readonly to?: string | undefined;
  readonly value?: string | undefined;
  readonly quantity?: string | undefined;
  readonly country?: string | undefined;
  readonly brand?: string | undefined;
}

/** Options and settings supply what a cart line lacks. @throws {ScripError} INPUT_INVALID, USAGE */
export async function readItems(
  context: Parameters<typeof countryFor>[0],
  product: string | undefined,
  flags: ItemFlags,
): Promise<readonly OrderItem[]> {
  const entries = await readEntries(context, product, flags);
  const isMissing = entries.some((entry) => entry.country === undefined);
  const country = isMissing ? await countryFor(context, flags.country, product) : '';
  return entries.map((entry) => itemOf(entry, { ...flags, country }));
}

async function readEntries(
  { io }: With<'io'>,
  product = '',
  { cart, value, quantity }: ItemFlags,
): Promise<readonly CartProduct[]> {
  if (cart !== undefined) return parseCart(await io.readText(cart));
  if (value !== undefined) checkThousands(value);
  const entry = { product, quantity: parseQuantity(quantity) };
  return [value === undefined ? entry : { ...entry, value }];
}

function itemOf(entry: CartProduct, flags: ItemFlags & { readonly country: string }): OrderItem {
  const to = entry.to ?? flags.to;
  if (to === undefined) {
    throw new ScripError('USAGE', t`${entry.product} has no recipient`, {
      hint: t`Name the beneficiary with --to, or in the column "to" of the cart.`,
    });
  }
  return {
    productId: entry.product,
    to,
    value: entry.value,
    quantity: entry.quantity,
    country: entry.country ?? flags.country,
    brand: entry.brand ?? flags.brand,
  };
}
