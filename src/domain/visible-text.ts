/**
 * Text of others, made harmless to look at. What can move a cursor, hide, reverse or forge a line is
 * shown as `\u{…}`: escaped, never dropped silently.
 */

/** Longest text that is shown of one cell or message. */
const MAX_LENGTH = 2000;

const HARMLESS = /^[\x20-\x7e]*$/;

/** Makes any text safe to print on one line of a terminal; cut at `maxLength` characters. */
export function escapeText(text: string, maxLength = MAX_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  if (HARMLESS.test(cut)) return cut;
  // Made only when needed: the engine takes its time to gather these classes.
  const dangerous = /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
  return cut.normalize('NFC').replace(dangerous, spell);
}

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
