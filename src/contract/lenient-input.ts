/**
 * Arguments of agents, as their clients send them: wrapped in `body` by tools that were generated
 * from OpenAPI, numbers and objects as text, text as numbers, `null` for what is left out. The form
 * alone is mended; what a value says stays, and the schema has the last word.
 */
import { z } from 'zod';
import { mended } from './mended.ts';

/** The arguments in the form of the schema, as far as they can be brought into it. */
export function lenientInput(schema: z.ZodType, args: unknown): unknown {
  const input = unwrapped(schema, args ?? {});
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined ? input : mended(input, error.issues);
}

/** What stands in `body` beside what stands around it; as it is where one speaks against the other. */
function unwrapped(schema: z.ZodType, args: unknown): unknown {
  if (!isObject(args) || !Object.hasOwn(args, 'body') || hasField(schema, 'body')) return args;
  const { body, ...around } = args;
  const inner = typeof body === 'string' ? parsed(body) : (body ?? {});
  if (!isObject(inner)) return args;
  return Object.keys(around).some((name) => Object.hasOwn(inner, name))
    ? args
    : { ...around, ...inner };
}

function hasField(schema: z.ZodType, name: string): boolean {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
