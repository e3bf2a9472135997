/** Writes a JSON value as one canonical text, so that two parties compute the same hash (after RFC 8785). */

import { ScripError } from './message/errors.ts';
import { type Message, t } from './message/message.ts';

/** More levels than any body of the interface has; a deeper hostile value could exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * Writes a value as JSON without spaces, keys sorted by UTF-16 code units. Omits fields that are `undefined`,
 * as `JSON.stringify` does.
 * @throws {ScripError} INPUT_INVALID for values JSON cannot hold: functions, bigints, NaN, cycles
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw notJson(t`nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    return `[${value.map((element) => write(element, depth + 1)).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) return writeObject(value, depth);
  return writeScalar(value);
}

function writeObject(value: object, depth: number): string {
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    // Compares code units. Keys are unique, so equality cannot occur.
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${write(field, depth + 1)}`);
  return `{${fields.join(',')}}`;
}

function writeScalar(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw notJson(t`the number ${value}`);
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return JSON.stringify(value);
  }
  throw notJson(t`a value of type ${typeof value}`);
}

function notJson(what: Message): ScripError {
  return new ScripError('INPUT_INVALID', t`JSON cannot hold ${what}`);
}

/** Parses JSON, which may begin with a byte order mark, as some editors write it. */
export function readStrictJson(text: string) {
  const json = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(json);
    const twice = repeatedName(json);
    return twice === undefined ? { value } : { problem: t`has "${twice}" twice` };
  } catch (cause) {
    return { problem: t`is not JSON`, cause };
  }
}

/** Returns the first name that occurs twice in one object of a valid JSON text. */
function repeatedName(json: string): string | undefined {
  // Only a name is followed by a colon; what else a string holds is skipped as a whole.
  const parts = json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g);
  const open: Set<string>[] = [];
  for (const [part, colon] of parts) {
    if (part === '{') open.push(new Set());
    else if (part === '}') open.pop();
    else if (colon !== undefined) {
      const name: string = JSON.parse(part.slice(0, -colon.length));
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}
