/** One JSON document: what a script reads, harmless as well when it ends on a terminal. */

const PLAIN = /^[\x20-\x7e\n]*$/;

/** Writes a value with a newline at its end; big integers become decimal strings. */
export function toJson(value: unknown, indent = 0): string {
  const text = plainJson(value, indent) ?? jsonWithBigIntegers(value, indent);
  return `${PLAIN.test(text) ? text : escaped(text)}\n`;
}

function escaped(text: string): string {
  // Made only when needed: the engine takes its time to gather these classes.
  const dangerous = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return text.replace(dangerous, escapeUnits);
}

/** Much the faster way of the two; undefined where there is a big integer, which JSON has not. */
function plainJson(value: unknown, indent: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    return undefined;
  }
}

function jsonWithBigIntegers(value: unknown, indent: number): string {
  return JSON.stringify(
    value,
    (_key, field) => (typeof field === 'bigint' ? String(field) : field),
    indent,
  );
}

/** The same value to a parser: each UTF-16 unit as a JSON escape. JSON's own newlines stay. */
function escapeUnits(character: string): string {
  if (character === '\n') return character;
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
