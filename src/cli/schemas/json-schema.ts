/** The schemas as JSON Schema, draft 2020-12, for other programs. */
import { z } from 'zod';
import { errorDocument, type SchemaDocument } from './program.ts';
import { PRINTED, printedSchema } from './table.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The commands with a schema, in the order of the help. */
export function describedCommands(): readonly string[] {
  return [...PRINTED.keys()];
}

/** The schemas of a command's output and error; undefined for commands that print nothing. */
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
