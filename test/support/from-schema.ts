/** Values that a JSON Schema of the OpenAPI document allows, and requests that it does and does not. */
import fc, { type Arbitrary } from 'fast-check';

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Texts of a format: what a pattern draws is seldom an address. */
const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  email: ['you@example.com', 'a.b+c@sub.example.org'],
  uri: ['https://example.com/hook', 'http://127.0.0.1/'],
  uuid: ['0b9f8a52-7c1e-4a3d-8e2f-1a2b3c4d5e6f'],
};
const MOST_ITEMS = 3;
const MOST_LENGTH = 300;

export function fromSchema(
  schema: Schema,
  named: Readonly<Record<string, Schema>>,
): Arbitrary<unknown> {
  const inner = (one: Schema) => fromSchema(one, named);
  const { $ref, type } = schema;
  if ($ref !== undefined) return inner(named[$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map(inner));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one: string) => inner({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return fromText(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 500, 500) });
    case 'number': {
      const { minimum = -5, exclusiveMinimum, maximum = 5_000 } = schema;
      const min = exclusiveMinimum ?? minimum;
      return fc.double({
        min,
        max: maximum,
        noNaN: true,
        minExcluded: exclusiveMinimum !== undefined,
      });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS));
      return fc.array(inner(schema.items ?? {}), { minLength, maxLength });
    }
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, one]) => [name, inner(one)]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function fromText({ format, pattern, minLength = 0, maxLength = MOST_LENGTH }: Schema) {
  const known = OF_FORMAT[format ?? ''];
  if (known) return fc.constantFrom(...known);
  if (pattern === undefined) {
    return fc.string({ minLength, maxLength: Math.min(maxLength, MOST_LENGTH), unit: 'binary' });
  }
  return fc
    .stringMatching(new RegExp(pattern))
    .filter(({ length }) => length >= minLength && length <= maxLength);
}

/** The same value with something else in one place, or without it. */
export function spoiled(value: unknown): Arbitrary<unknown> {
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined));
  return fc.tuple(fc.nat(), junk).map(([place, other]) => replaced(value, place, other));
}

function replaced(value: unknown, place: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const names = Object.keys(value);
  if (names.length === 0 || place % (names.length + 1) === names.length) return other;
  const name = names[place % (names.length + 1)] ?? '';
  const rest = Math.floor(place / (names.length + 1));
  const inner = replaced(Reflect.get(value, name), rest, other);
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? inner : one));
  return { ...value, [name]: inner };
}
