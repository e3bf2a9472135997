/**
 * Makes untrusted text safe to show. Characters that can move the cursor, hide or reverse text, or forge a
 * line are shown as `\u{…}`: escaped, never dropped silently. The joiners inside an emoji stay: only whole sequences
 * of Unicode's list of emoji count, in which nothing can be hidden.
 */

/** Longest text shown in one cell or message. */
const MAX_LENGTH = 2000;

const HARMLESS = /^[\x20-\x7e]*$/;

/** Escapes text for one line of a terminal, cut at `maxLength` characters. */
export function escapeText(text: string, maxLength = MAX_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  if (HARMLESS.test(cut)) return cut;
  // Compiled only when needed: these character classes are slow to build.
  unusual ??= new RegExp(`(${EMOJI})|${DANGEROUS}`, 'gv');
  return cut.normalize('NFC').replace(unusual, (one, emoji?: string) => emoji ?? spell(one));
}

const EMOJI = String.raw`\p{RGI_Emoji}`;
const DANGEROUS = String.raw`(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}]`;
let unusual: RegExp | undefined;

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
