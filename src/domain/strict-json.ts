/** Reads JSON that a person writes by hand: a name written twice is a mistake, and which value counts is a guess. */

import { type Message, t } from './message.ts';

export type StrictJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: Message; readonly cause?: unknown };

/** Parses JSON, which may begin with a byte order mark, as some editors write it. */
export function readStrictJson(text: string): StrictJson {
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
