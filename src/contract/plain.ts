/** Objects whose fields are all text: described once, and validated without the schema library. */
import { z } from 'zod';

/** A required text, an optional one, or one with a pattern and the message for a mismatch. */
export type PlainField = 'text' | 'text?' | { readonly pattern: RegExp; readonly rule: string };
export type PlainShape = Readonly<Record<string, PlainField>>;

type PlainSchemas<Shape extends PlainShape> = {
  -readonly [Name in keyof Shape]: Shape[Name] extends 'text?'
    ? z.ZodOptional<z.ZodString>
    : z.ZodString;
};

/** Returns the zod schema of a shape; it also reports what is wrong. */
export function plainSchema<const Shape extends PlainShape>(
  shape: Shape,
): z.ZodObject<PlainSchemas<Shape>> {
  const fields = Object.entries(shape).map(([name, field]) => [name, schemaOf(field)]);
  return z.object(Object.fromEntries(fields) as PlainSchemas<Shape>);
}

function schemaOf(field: PlainField): z.ZodType {
  if (field === 'text') return z.string();
  return field === 'text?' ? z.string().optional() : z.string().regex(field.pattern, field.rule);
}

type PlainRow = Readonly<Record<string, string>>;

/** Returns the object with only the shape's fields; undefined if it does not match. */
export function readPlain(shape: PlainShape, value: unknown): PlainRow | undefined {
  return readFields(namedFields(shape), value);
}

/** Returns all rows of a list; undefined if it is not a list or a row does not match. */
export function readPlainRows(shape: PlainShape, value: unknown): readonly PlainRow[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const fields = namedFields(shape);
  const rows: PlainRow[] = [];
  for (const element of value) {
    const row = readFields(fields, element);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows;
}

interface NamedField {
  readonly name: string;
  readonly field: PlainField;
}

/** Objects, not pairs: taking pairs apart for each row of a list makes the engine optimize the loop, at a cost. */
function namedFields(shape: PlainShape): readonly NamedField[] {
  return Object.entries(shape).map(([name, field]) => ({ name, field }));
}

function readFields(fields: readonly NamedField[], value: unknown): PlainRow | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const read: Record<string, string> = {};
  for (const { name, field } of fields) {
    const text: unknown = Reflect.get(value, name);
    if (text === undefined && field === 'text?') continue;
    if (typeof text !== 'string') return undefined;
    if (typeof field === 'object' && !field.pattern.test(text)) return undefined;
    read[name] = text;
  }
  return read;
}
