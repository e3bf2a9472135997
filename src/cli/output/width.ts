/** The width of texts in terminal columns. */

const HARMLESS = /^[\x20-\x7e]*$/;

/** Returns the width of a text without control characters. */
export function textWidth(text: string): number {
  if (HARMLESS.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

// Built from the character code: biome forbids control characters in patterns.
const STYLE = new RegExp(
  `${String.fromCharCode(27)}(?:\\[[0-9;]*m|\\]8;;.*?${String.fromCharCode(27)}\\\\)`,
  'g',
);

/** Returns the width of each line, without colour and link sequences. */
export function lineWidths(text: string): readonly number[] {
  return text.replace(STYLE, '').split('\n').map(textWidth);
}

/** Cuts a text to a width, between words if enough text is left, and adds an ellipsis. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  const words = kept.slice(0, kept.lastIndexOf(' '));
  const isInWord = !kept.endsWith(' ') && text[kept.length] !== ' ';
  return `${isInWord && kept.includes(' ') && textWidth(words) >= columns / 3 ? words : kept}…`;
}

/** Cuts a text to a width at the end of a word; a single longer word is cut inside. */
export function fitWords(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const cut = fitText(text, columns).slice(0, -1);
  const isWordEnd = text[cut.length] === ' ';
  const kept = isWordEnd ? cut : cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  return `${(kept === '' ? cut : kept).replace(/[\s.,;:·]+$/, '')}…`;
}

/** The patterns are compiled when first used, as in domain/visible-text.ts. */
function characterWidth(character: string): number {
  if (/[\p{Mn}\p{Mc}\p{Me}]/u.test(character)) return 0;
  return isWide(character) ? 2 : 1;
}

/** Wide and full-width blocks of East Asian scripts (Unicode TR 11), and emoji. */
function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u.test(
    character,
  );
}
