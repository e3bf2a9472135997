/** Writes one JSON document, which is also safe to print on a terminal. */

const PLAIN = /^[\x20-\x7e\n]*$/;

/** Returns the value as JSON with a line break; big integers become decimal strings. */
export function toJson(value: unknown, indent = 0): string {
  const text = plainJson(value, indent) ?? jsonWithBigIntegers(value, indent);
  return `${PLAIN.test(text) ? text : escaped(text)}\n`;
}

function escaped(text: string): string {
  // Created only when needed: compiling these Unicode classes is slow.
  const dangerous = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return text.replace(dangerous, escapeUnits);
}

/** The faster way; undefined for big integers, which JSON cannot represent. */
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

/**
 * Replaces each UTF-16 unit with a JSON escape, so that parsers read the same value. JSON's own line breaks
 * stay.
 */
function escapeUnits(character: string): string {
  if (character === '\n') return character;
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
