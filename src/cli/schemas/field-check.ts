/** Whether the fields that are asked for exist: read from the schema, before a command runs. */
import type { MerchantName } from '../../api/merchants.ts';
import { unknownField } from '../output/fields.ts';
import type { Output } from '../output/format.ts';
import { parseTemplate } from '../output/template.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { PRINTED } from './table.ts';

interface Asked {
  readonly fields: Output['fields'] | undefined;
  readonly template: string | undefined;
  /** Words of the command, such as `wallet new`. */
  readonly path: string;
  /** Who is asked. */
  readonly merchant: MerchantName;
}

/**
 * Refuses a field that no document of the command can have.
 * @throws {ScripError} USAGE listing those that exist, and for a template that cannot be read
 */
export function checkAskedFields({ path, merchant, fields = [], template }: Asked): void {
  const inTemplate = template === undefined ? [] : parseTemplate(template).fields;
  const printed = PRINTED.get(path);
  if (printed === undefined) return;
  const schema = printed[merchant] ?? printed.output;
  const records = recordsOf(toJsonSchema(schema()));
  for (const field of [...fields, ...inTemplate]) checkField(records, field);
}

/** What `--fields` may name of each command, both sides of the merchant taken together. */
export function fieldsByCommand(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...PRINTED].map(([path, { output, partner }]) => {
      const schemas = [output, ...(partner === undefined ? [] : [partner])];
      return [path, namesIn(schemas.flatMap((schema) => recordsOf(toJsonSchema(schema()))))];
    }),
  );
}

function checkField(records: Schemas, field: string): void {
  let reached = records;
  let before = '';
  for (const name of field.split('.')) {
    const next = reached.flatMap((schema) => step(schema, name));
    if (next.length === 0) {
      const known = namesIn(reached).map((one) => `${before}${one}`);
      // What has no fields of its own is a plain value: then its neighbours are what there is.
      throw unknownField(field, known.length > 0 ? known : namesIn(records));
    }
    reached = next.flatMap(alternatives);
    before = `${before}${name}.`;
  }
}

type Schemas = readonly JsonSchema[];

/** A list is asked for the fields of its records. */
function recordsOf(document: JsonSchema): Schemas {
  return alternatives(document).flatMap((schema) =>
    schema.type === 'array' ? itemsOf(schema) : [schema],
  );
}

/** The schemas that a value may follow, without the choices between them. */
function alternatives(schema: JsonSchema): Schemas {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices === undefined ? [schema] : choices.filter(isSchema).flatMap(alternatives);
}

/** What stands under a name, as `valueAt` finds it; nothing where the name leads nowhere. */
function step(schema: JsonSchema, name: string): Schemas {
  const own = schema.properties?.[name];
  if (own !== undefined) return isSchema(own) ? [own] : [];
  if (schema.type === 'array') return /^\d+$/.test(name) ? itemsOf(schema) : lengthOf(name);
  const isOpen = schema.type === undefined && schema.const === undefined;
  if (isOpen && schema.enum === undefined) return [schema];
  return isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [];
}

function itemsOf({ items }: JsonSchema): Schemas {
  return isSchema(items) ? alternatives(items) : [];
}

function lengthOf(name: string): Schemas {
  return name === 'length' ? [{ type: 'integer' }] : [];
}

function namesIn(schemas: Schemas): readonly string[] {
  const names = schemas.flatMap((schema) =>
    schema.type === 'array'
      ? namesIn(itemsOf(schema)).map((name) => `0.${name}`)
      : Object.keys(schema.properties ?? {}),
  );
  return [...new Set(names)];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
