/**
 * Text of others, made harmless to look at. What can move a cursor, hide, reverse or forge a line is
 * shown as `\u{…}`: escaped, never dropped silently.
 */

/** Longest text that is shown of one cell or message. */
const MAX_LENGTH = 2000;

const HARMLESS = /^[\x20-\x7e]*$/;
const DANGEROUS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/u;
const SPACE = /\p{Zs}/u;

/** Makes any text safe to print on one line of a terminal; cut at `maxLength` characters. */
export function escapeText(text: string, maxLength = MAX_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  if (HARMLESS.test(cut)) return cut;
  let escaped = '';
  for (const character of cut.normalize('NFC'))
    escaped += isDangerous(character) ? spell(character) : character;
  return escaped;
}

function isDangerous(character: string): boolean {
  return DANGEROUS.test(character) || (SPACE.test(character) && character !== ' ');
}

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
