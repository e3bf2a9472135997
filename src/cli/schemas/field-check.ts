/** Checks that the fields of --fields and --template exist, by the schema, before the command runs. */
import type { MerchantName } from '../../api/merchants.ts';
import { unknownField } from '../output/fields.ts';
import type { Output } from '../output/format.ts';
import { parseTemplate } from '../output/template.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { PRINTED } from './table.ts';

interface Asked {
  readonly fields: Output['fields'] | undefined;
  readonly template: string | undefined;
  /** The command's words, such as `wallet new`. */
  readonly path: string;
  /** The merchant that the command asks. */
  readonly merchant: MerchantName;
}

/**
 * Refuses a field that the command's documents cannot have.
 * @throws {ScripError} USAGE with the existing fields, or for an invalid template
 */
export function checkAskedFields({ path, merchant, fields = [], template }: Asked): void {
  const inTemplate = template === undefined ? [] : parseTemplate(template).fields;
  const printed = PRINTED.get(path);
  if (printed === undefined) return;
  const schema = printed[merchant] ?? printed.output;
  const records = recordsOf(toJsonSchema(schema()));
  for (const field of [...fields, ...inTemplate]) checkField(records, field);
}

/** The fields that `--fields` accepts for each command, for both merchants. */
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
      // A plain value has no fields of its own, so list the top-level ones.
      throw unknownField(field, known.length > 0 ? known : namesIn(records));
    }
    reached = next.flatMap(alternatives);
    before = `${before}${name}.`;
  }
}

type Schemas = readonly JsonSchema[];

/** For a list, --fields selects fields of its records. */
function recordsOf(document: JsonSchema): Schemas {
  return alternatives(document).flatMap((schema) =>
    schema.type === 'array' ? itemsOf(schema) : [schema],
  );
}

/** Every schema that a value may match, without unions. */
function alternatives(schema: JsonSchema): Schemas {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices === undefined ? [schema] : choices.filter(isSchema).flatMap(alternatives);
}

/** The schemas of a field, by the rules of `valueAt`; empty if it cannot exist. */
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
