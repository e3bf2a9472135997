/**
 * Long lists in tool results: as many rows as a model can read, only the fields it needs unless it asks for
 * all, and a note on how to get the rest.
 */
import { z } from 'zod';
import { type Infer, lazy } from '../contract/endpoint.ts';
import { nameKey } from '../domain/product/catalog-query.ts';
import type { Fields } from './slim-schema.ts';

/** Size of a whole result, in bytes. MCP sends it twice, as structured content and as text. */
const DEFAULT_BYTES = 9_500;
const DEFAULT_ROWS = 100;
/** The limits if the caller gives a number of rows. */
const MOST_BYTES = 95_000;
const MOST_ROWS = 500;

/** Arguments that a tool with a list has besides its own. */
export const pageRequest = lazy(() =>
  z.object({
    limit: z.number().int().min(1).max(MOST_ROWS).optional().describe('Rows at most'),
    cursor: z
      .string()
      .regex(/^\d{1,7}$/, 'must be next_cursor of the page before')
      .optional()
      .describe('next_cursor of the page before'),
    search: z.string().max(100).optional().describe('Only rows with all these words'),
    details: z.boolean().optional().describe('All fields of the rows'),
  }),
);
type PageRequest = Infer<typeof pageRequest>;

/** Says which part of the list the result holds. */
export const pageInfo = lazy(() =>
  z.object({
    shown: z.number().int(),
    total: z.number().int().describe('Rows of the whole list, or of what search has found'),
    next_cursor: z.string().optional(),
    note: z.string(),
  }),
);
type PageInfo = Infer<typeof pageInfo>;

export interface PagedList {
  /** Name of the field that holds the rows; if the body is an array, each element has it. */
  readonly rows: string;
  readonly fields: Fields;
}

const BRAND: Fields = {
  brand: true,
  category: true,
  product_type: true,
  is_out_of_stock: true,
  min: true,
  max: true,
};

/** The tools whose lists are sent in pages. */
export const PAGED_LISTS: Readonly<Partial<Record<string, PagedList>>> = {
  listBrands: { rows: 'all_brands', fields: { country_code: true, all_brands: BRAND } },
  searchProducts: { rows: 'brands', fields: { country_code: true, query: true, brands: BRAND } },
  listProductsForCountry: {
    rows: 'products',
    fields: {
      country_code: true,
      brand: true,
      category: true,
      product_type: true,
      is_out_of_stock: true,
      products: {
        product_id: true,
        is_dynamic: true,
        denomination: true,
        range: true,
        coin: true,
        coin_amount: true,
        delivery_type: true,
      },
    },
  },
  getPaymentViasWithCurrencies: {
    rows: 'currencies',
    fields: {
      name: true,
      currencies: {
        name: true,
        is_suspended: true,
        threshold: true,
        networks: { name: true },
      },
    },
  },
};

/** Returns the schema of a list's body with every field optional that a short row may leave out. */
export function pagedSchema(schema: z.core.$ZodType, fields: Fields): z.ZodType {
  if (schema instanceof z.ZodArray) return z.array(pagedSchema(schema.element, fields));
  const shape: Readonly<Record<string, z.ZodType>> =
    schema instanceof z.ZodObject ? schema.shape : {};
  return z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, inner]) => {
        const needed = fields[name];
        if (needed === undefined) return [name, inner.optional()];
        return [name, needed === true ? inner : pagedSchema(inner, needed)];
      }),
    ),
  );
}

export interface Page {
  readonly result: unknown;
  readonly page: PageInfo;
}

interface PageParts extends PagedList {
  readonly tool: string;
  readonly request: PageRequest;
  /** Wraps and hides texts in a body, as the tool's output schema asks. */
  render(body: unknown): unknown;
}

/** Returns one page of the list, with fewer rows until its size fits. */
export function pageOf(body: unknown, { tool, request, render, ...list }: PageParts): Page {
  const all = matching(rowsIn(body, list), request.search);
  const from = Math.min(Number(request.cursor ?? 0), all.length);
  const mostBytes = request.limit === undefined ? DEFAULT_BYTES : MOST_BYTES;
  let count = Math.min(request.limit ?? DEFAULT_ROWS, all.length - from);
  for (;;) {
    const rows = all.slice(from, from + count);
    const page = infoOf(tool, from, { shown: rows.length, total: all.length });
    const told = { result: render(bodyOf(body, rows, { ...list, ...request })), page };
    const bytes = new TextEncoder().encode(JSON.stringify(told)).length;
    if (bytes <= mostBytes || count <= 1) return told;
    count = Math.max(1, Math.min(count - 1, Math.floor((count * mostBytes) / bytes)));
  }
}

type Json = Readonly<Record<string, unknown>>;

/** An object in two forms: with all fields, and with those that a model needs. */
interface Disclosure {
  readonly whole: Json;
  readonly short: Json;
}

interface Row extends Disclosure {
  /** The object that holds the row. */
  readonly parent: Disclosure;
}

function rowsIn(body: unknown, { rows, fields }: PagedList): readonly Row[] {
  const below = fields[rows];
  return objectsIn(Array.isArray(body) ? body : [body]).flatMap((whole) => {
    const parent = { whole, short: picked(whole, { ...fields, [rows]: {} }) };
    return objectsIn(whole[rows]).map((row) => ({
      whole: row,
      short: picked(row, below === true ? {} : (below ?? {})),
      parent,
    }));
  });
}

/** Returns only the named fields that have a value. */
function picked(object: Json, fields: Fields): Json {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, below]) => {
      const value = object[name];
      if (value === undefined || value === null) return [];
      if (below === true) return [[name, value]];
      return [[name, objectsIn(value).map((inner) => picked(inner, below))]];
    }),
  );
}

function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function matching(rows: readonly Row[], search = ''): readonly Row[] {
  const words = nameKey(search).words.split(' ');
  return rows.filter((row) => {
    const text = nameKey([...textsIn(row.parent.short), ...textsIn(row.short)].join(' ')).words;
    return words.every((word) => text.includes(word));
  });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the body with only these rows; parents without a row are left out. */
function bodyOf(
  body: unknown,
  rows: readonly Row[],
  { rows: field, fields, details = false }: PagedList & PageRequest,
): unknown {
  const parents = [...new Set(rows.map(({ parent }) => parent))];
  const form = details ? 'whole' : 'short';
  const filled = parents.map((parent) => ({
    ...parent[form],
    [field]: rows.filter((row) => row.parent === parent).map((row) => row[form]),
  }));
  if (Array.isArray(body)) return filled;
  const [head] = objectsIn([body]);
  // The body's other lists repeat the same rows, so leave them out.
  return { ...picked(head ?? {}, fields), [field]: filled.flatMap((one) => one[field]) };
}

type Count = Pick<PageInfo, 'shown' | 'total'>;

function infoOf(tool: string, from: number, { shown, total }: Count): PageInfo {
  const next = String(from + shown);
  const rest = from + shown < total;
  const count = `${shown} of ${total} rows.`;
  return {
    shown,
    total,
    ...(rest ? { next_cursor: next } : {}),
    note: rest
      ? `${count} For the rest, call ${tool} again with cursor "${next}"; search finds rows, limit gives more at once, details gives all their fields.`
      : `${count} No more follow; details gives all their fields.`,
  };
}
