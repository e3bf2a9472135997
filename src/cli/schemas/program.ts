/** JSON about the program itself: its errors, guide, completion scripts, schemas and tool server. */
import { z } from 'zod';
import { type Immutable, type Infer, lazy } from '../../contract/endpoint.ts';
import { strictObject } from '../../contract/object.ts';
import { CODES, type Code } from '../../domain/message/errors.ts';

const fundsAtRisk = lazy(() => z.enum(['none', 'possible', 'spent']));

/** The one object on stderr in JSON mode. */
export const errorDocument = strictObject(() => ({
  error: z.strictObject({
    // Safe: these are the keys of the table.
    code: z.enum(Object.keys(CODES) as Code[]),
    message: z.string(),
    hint: z.string().describe('what to do next; mostly a command'),
    exit: z.number().int().min(1).max(255),
    funds_at_risk: fundsAtRisk(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
  }),
}));
export type ErrorDocument = Infer<typeof errorDocument>;

/** A row of the table of errors, which includes the partner API's problems. */
export const errorRow = strictObject(() => ({
  code: z.string(),
  exit: z.number().int(),
  retryable: z.boolean(),
  funds_at_risk: fundsAtRisk(),
  hint: z.string(),
}));

const guideOption = strictObject(() => ({
  flags: z.string(),
  what: z.string(),
  required: z.boolean(),
  default: z.unknown().optional(),
  choices: z.array(z.string()).optional(),
}));

const guideCommand = strictObject(() => ({
  usage: z.string().describe('with parent commands and arguments: scrip track <order_id>'),
  path: z.string().describe('the words after scrip'),
  what: z.string(),
  arguments: z.array(
    z.strictObject({
      name: z.string(),
      what: z.string(),
      required: z.boolean(),
      choices: z.array(z.string()).optional(),
    }),
  ),
  options: z.array(guideOption()),
  example: z.string().optional(),
  examples: z.array(z.string()).describe('each without the leading scrip'),
}));
export type GuideCommand = Immutable<Infer<typeof guideCommand>>;

export const guide = strictObject(() => ({
  name: z.string(),
  version: z.string(),
  summary: z.string(),
  rules: z.array(z.string()),
  buying: z.array(z.strictObject({ what: z.string(), command: z.string() })),
  commands: z.array(guideCommand()),
  global_options: z.array(guideOption()),
  environment: z.array(z.strictObject({ name: z.string(), what: z.string() })),
  exit_codes: z.array(
    z.strictObject({
      exit: z.number().int(),
      meaning: z.string(),
      codes: z.array(z.string()),
    }),
  ),
  errors: z.array(errorRow()),
  mcp: z.strictObject({
    serve: z.string(),
    install: z.array(z.string()),
    tools: z.array(z.strictObject({ name: z.string(), what: z.string(), read_only: z.boolean() })),
  }),
  wizard: z.strictObject({ endpoint: z.string(), questions: z.array(z.string()) }),
}));

export const completionFile = strictObject(() => ({ shell: z.string(), script: z.string() }));

/** JSON Schemas, draft 2020-12. */
export const schemaDocument = strictObject(() => ({
  command: z.string(),
  output: z.looseObject({ $schema: z.string() }).describe('of the document on stdout'),
  error: z.looseObject({ $schema: z.string() }).describe('of the document on stderr'),
}));
export type SchemaDocument = Infer<typeof schemaDocument>;

export const schemaRow = strictObject(() => ({ command: z.string() }));

/** `scrip mcp --http`. */
export const servedTools = strictObject(() => ({
  url: z.url(),
  authorization: z.string().optional(),
}));
export type ServedToolsRecord = Infer<typeof servedTools>;

/** `scrip mcp install` and `uninstall`. */
export const agentConfig = strictObject(() => ({
  client: z.string(),
  config: z.string(),
  target: z.string(),
  state: z.string(),
  changed: z.boolean(),
  change: z.array(z.string()),
  backup: z.string().nullable(),
  command: z.string().nullable(),
  args: z.array(z.string()).nullable(),
}));
