/**
 * Accepts agents' arguments in the forms that their clients send: wrapped in `body` by tools
 * generated from OpenAPI, numbers and objects as text, text as numbers, `null` for absent. It
 * changes only the form, never the meaning; the schema still validates the result.
 */
import { z } from 'zod';
import { mended } from './mended.ts';

/** Converts arguments to the schema's form, as far as possible. */
export function lenientInput(schema: z.ZodType, args: unknown): unknown {
  const input = unwrapped(schema, args ?? {});
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined ? input : mended(input, error.issues);
}

/** Merges `body` with the fields beside it; unchanged if both have a field of the same name. */
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
