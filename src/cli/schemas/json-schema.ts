/** Schemas as other programs read them: JSON Schema, draft 2020-12. */
import { z } from 'zod';
import { errorDocument, type SchemaDocument } from './program.ts';
import { PRINTED, printedSchema } from './table.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Names of the commands that have a schema, in the order of the help. */
export function describedCommands(): readonly string[] {
  return [...PRINTED.keys()];
}

/** What a command prints and how it fails; undefined for words that print nothing. */
export function schemaOf(path: string): SchemaDocument | undefined {
  const printed = PRINTED.get(path);
  if (printed === undefined) return undefined;
  return {
    command: path,
    output: titled(`scrip ${path} --json`, printedSchema(printed)),
    error: titled('an error of scrip', errorDocument()),
  };
}

function titled(title: string, schema: z.ZodType) {
  const { $schema = DRAFT, ...rest } = toJsonSchema(schema);
  return { $schema, title, ...rest };
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

export function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output' });
}
