/** Carts as files: CSV or JSON lines of product, to, value, quantity and, where they differ, country and brand. */
import { ScripError } from '../domain/errors.ts';

export interface CartEntry {
  readonly product: string;
  readonly to?: string;
  readonly value?: string;
  readonly quantity: number;
  readonly country?: string;
  readonly brand?: string;
}

const COLUMNS = ['product', 'to', 'value', 'quantity', 'country', 'brand'] as const;
type Column = (typeof COLUMNS)[number];
type Fields = Readonly<Partial<Record<Column, string>>>;

const MAX_ENTRIES = 1_000;

/**
 * Reads a cart. CSV may begin with a line of column names; without one the columns are in the order
 * above.
 * @throws {ScripError} INPUT_INVALID with the line
 */
export function parseCart(text: string): readonly CartEntry[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '');
  if (lines.length === 0) throw new ScripError('INPUT_INVALID', 'the cart is empty');
  if (lines.length > MAX_ENTRIES) {
    throw new ScripError(
      'INPUT_INVALID',
      `a cart of ${lines.length} lines is more than ${MAX_ENTRIES}`,
    );
  }
  return lines[0]?.line.startsWith('{') ? jsonLines(lines) : csvLines(lines);
}

interface Numbered {
  readonly line: string;
  readonly number: number;
}

function jsonLines(lines: readonly Numbered[]): readonly CartEntry[] {
  return lines.map(({ line, number }) => entryOf(readObject(line, number), number));
}

function readObject(line: string, number: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ScripError('INPUT_INVALID', `line ${number} of the cart is not JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(number, 'is not an object');
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (!isColumn(name)) throw invalid(number, `has the unknown field "${name}"`);
      if (typeof field !== 'string' && typeof field !== 'number') {
        throw invalid(number, `has a "${name}" that is neither text nor a number`);
      }
      return [name, String(field)];
    }),
  );
}

function csvLines(lines: readonly Numbered[]): readonly CartEntry[] {
  const rows = lines.map(({ line, number }) => ({ cells: csvCells(line, number), number }));
  const head = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const isHead = head[0] === 'product';
  const names = isHead ? head : COLUMNS;
  return rows.slice(isHead ? 1 : 0).map(({ cells, number }) => {
    if (cells.length > names.length) throw invalid(number, `has ${cells.length} fields`);
    const fields = cells.map((cell, at) => {
      const name = names[at] ?? '';
      if (!isColumn(name)) throw invalid(1, `names the unknown column "${name}"`);
      return [name, cell] as const;
    });
    return entryOf(Object.fromEntries(fields), number);
  });
}

/** One line of RFC 4180; fields do not go over several lines. */
function csvCells(line: string, number: number): readonly string[] {
  const cells: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;
  for (let rest = true; rest; ) {
    const match = field.exec(line);
    if (match === null) throw invalid(number, 'has a quote where none may stand');
    cells.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'));
    rest = match[3] === ',';
  }
  return cells;
}

function isColumn(name: string): name is Column {
  return COLUMNS.some((column) => column === name);
}

function entryOf(fields: Fields, number: number): CartEntry {
  const { product, quantity, ...rest } = fields;
  if (product === undefined || product === '') throw invalid(number, 'names no product');
  const given = Object.entries(rest).filter(([, value]) => value !== '');
  return { product, quantity: readQuantity(quantity, number), ...Object.fromEntries(given) };
}

function readQuantity(text: string | undefined, number: number): number {
  if (text === undefined || text === '') return 1;
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw invalid(number, `has the quantity "${text}", which is not a whole number from 1 to 999`);
}

function invalid(number: number, problem: string): ScripError {
  return new ScripError('INPUT_INVALID', `line ${number} of the cart ${problem}`, {
    hint: 'Write product,to,value,quantity on each line, or JSON such as {"product":"…","to":"…"}.',
    details: { line: number },
  });
}
