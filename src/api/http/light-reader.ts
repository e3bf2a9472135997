/**
 * Reads long lists quickly: what a schema says of its plain fields is checked by hand, the rest by
 * the schema. It is made from the schema itself, so the wire has one description; a list in which
 * anything is amiss is left to the schema, which says what.
 */
import type { Endpoint } from '../../contract/endpoint.ts';

type Schema = ReturnType<Endpoint['output']>;
type Row = Readonly<Record<string, unknown>>;

/** Gives the row with the fields of the schema alone; undefined when one of them is not as it should be. */
export type RowReader = (json: unknown) => Row | undefined;

/** What a field must be: a plain type, or whatever its schema takes as it is. */
interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly plain: 'string' | 'boolean' | undefined;
  readonly schema: Schema;
}

/** The part of a schema's own description that is read here. */
interface Definition {
  readonly type: string;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: unknown;
  readonly checks?: readonly unknown[];
  readonly coerce?: boolean;
  /** Of an address or a date; it is not among the checks. */
  readonly format?: string;
}

/** A reader of one element of a list; undefined for a schema that is no plain list of plain objects. */
export function rowReaderOf(list: Schema): RowReader | undefined {
  const { type, element, checks } = definitionOf(list);
  if (type !== 'array' || element === undefined || isChecked(checks)) return undefined;
  const row = definitionOf(element);
  if (row.type !== 'object' || row.shape === undefined) return undefined;
  // Strict and loose objects say what becomes of other fields.
  if (row.catchall !== undefined || isChecked(row.checks)) return undefined;
  const fields = Object.entries(row.shape).map(([name, schema]) => fieldOf(name, schema));
  return (json) => readRow(fields, json);
}

/** Every row of a list; undefined when it is none, or one of its rows is not as it should be. */
export function readRows(reader: RowReader, json: unknown): readonly Row[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const rows: Row[] = [];
  for (const element of json) {
    const row = reader(element);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows;
}

function readRow(fields: readonly Field[], json: unknown): Row | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const row: Record<string, unknown> = {};
  for (const field of fields) {
    const value: unknown = Reflect.get(json, field.name);
    if (value === undefined) {
      if (field.isOptional) continue;
      return undefined;
    }
    if (!isAsSaid(field, value)) return undefined;
    row[field.name] = value;
  }
  return row;
}

function isAsSaid({ plain, schema }: Field, value: unknown): boolean {
  if (plain === 'string') return typeof value === 'string';
  if (plain === 'boolean') return typeof value === 'boolean';
  const checked = schema.safeParse(value);
  // A schema that makes another value of it has its say in full.
  return checked.success && checked.data === value;
}

function fieldOf(name: string, schema: Schema): Field {
  const { type, innerType, checks } = definitionOf(schema);
  const isOptional = type === 'optional' && innerType !== undefined && !isChecked(checks);
  const inner = isOptional ? innerType : schema;
  return { name, isOptional, schema: inner, plain: plainTypeOf(inner) };
}

function plainTypeOf(schema: Schema): Field['plain'] {
  const { type, checks, coerce, format } = definitionOf(schema);
  if (coerce === true || format !== undefined || isChecked(checks)) return undefined;
  return type === 'string' || type === 'boolean' ? type : undefined;
}

function isChecked(checks: readonly unknown[] | undefined): boolean {
  return checks !== undefined && checks.length > 0;
}

function definitionOf(schema: Schema): Definition {
  // The library types the description by the kind of schema; here the kind is what is asked.
  return schema.def as unknown as Definition;
}
