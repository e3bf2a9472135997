/** Measures and cuts texts by terminal columns, and wraps them between words; the only place that does. */

import { QUOTED_WORD } from '../../domain/message/command-text.ts';
import { escapeText } from '../../domain/message/message.ts';
import type { OutputStream } from '../terminal/ports.ts';

/** Don't wrap into narrower columns: each line would hold a single word. */
const LEAST_ROOM = 16;

/**
 * Wraps a text to a width. A longer word keeps its own line; a longer command continues after a backslash.
 */
export function wrapWords(text: string, columns: number): readonly string[] {
  if (textWidth(text) <= columns || columns < LEAST_ROOM) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const unit of unitsOf(text)) {
    const longer: string = line === undefined ? unit : `${line} ${unit}`;
    if (textWidth(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== undefined) lines.push(line);
    const parts = isCommand(unit) ? commandLines(unit, columns) : [unit];
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1);
  }
  return line === undefined ? lines : [...lines, line];
}

/** Indentation of text below a label. */
const INDENT = '  ';

/**
 * Wraps a value next to a label of the given width: the first line follows the label, the others are aligned
 * below it. If a word is too long for that, the whole value goes below the label.
 */
export function besideLabel(
  text: string,
  { margin, columns }: { readonly margin: number; readonly columns: number },
): readonly string[] {
  const room = columns - margin;
  const lines = wrapWords(text, room);
  if (lines.every((line) => textWidth(line) <= room)) {
    return lines.map((line, at) => (at === 0 ? line : ' '.repeat(margin) + line));
  }
  const below = wrapWords(text, columns - INDENT.length);
  // A line wider than the terminal starts without indentation, so that selecting it copies no blanks.
  const fit = (line: string): string =>
    textWidth(line) + INDENT.length > columns ? line : INDENT + line;
  return ['', ...below.map(fit)];
}

/** Rewraps a text of paragraphs and columns for a narrower terminal. */
export function reflowed(text: string, columns: number): string {
  if (text.split('\n').every((line) => textWidth(line) <= columns)) return text;
  return text
    .split('\n\n')
    .flatMap((part) => ['', ...paragraphLines(part.split('\n'), columns)])
    .slice(1)
    .join('\n');
}

/** Prose is rewrapped; an indented line stays a line, with its description next to it or below it. */
function paragraphLines(lines: readonly string[], columns: number): readonly string[] {
  const isProse = lines.every((line) => !line.startsWith(' '));
  if (isProse) return wrapWords(lines.join(' '), columns);
  const whole = lines.join('\n').replace(/ \\\n +/g, ' ');
  return whole.split('\n').flatMap((line) => {
    if (textWidth(line) <= columns) return [line];
    const [, term = '', gap = '', what = ''] = /^( *(?:\$ )?\S.*?)( {2,})(\S.*)$/.exec(line) ?? [];
    if (what !== '') return itemLines(term, what, { margin: textWidth(term + gap), columns });
    const [, lead = '', rest = ''] = /^( *(?:\$ )?)(.*)$/.exec(line) ?? [];
    const wrapped = wrapWords(rest, columns - lead.length);
    return wrapped.map((one, at) => (at === 0 ? lead : ' '.repeat(lead.length)) + one);
  });
}

/** With less room than this, a description goes below its term. */
const LEAST_BESIDE = 28;

/** A term with its description, next to each other or one below the other. */
export function itemLines(
  term: string,
  what: string,
  { margin, columns }: { readonly margin: number; readonly columns: number },
): readonly string[] {
  if (columns - margin >= LEAST_BESIDE && textWidth(term) < margin) {
    const [first = '', ...rest] = besideLabel(what, { margin, columns });
    return [term.padEnd(margin) + first, ...rest].map((line) => line.trimEnd());
  }
  const indent = `${INDENT}${' '.repeat(term.length - term.trimStart().length)}`;
  return [term, ...wrapWords(what, columns - indent.length).map((line) => indent + line)];
}

/** A sentence with its line break: wrapped on a terminal, otherwise on one line. */
export function sentenceText(
  text: string,
  { isTerminal, columns }: Pick<OutputStream, 'isTerminal' | 'columns'>,
): string {
  const safe = escapeText(text);
  return `${isTerminal ? wrapWords(safe, columns).join('\n') : safe}\n`;
}

const WORD = `(?:${QUOTED_WORD.source}|[^'\\s])`;
const LAST_OF_WORD = `(?:${QUOTED_WORD.source}|[^'\\s.,;:])`;
const GROUPS = ['config', 'help', 'mcp', 'orders', 'policy', 'profile', 'sandbox', 'wallet'];
const COMMAND = new RegExp(
  [
    // At the start of a sentence or after a colon, everything up to the end is a command.
    `(?<=^|[:·] | {2})scrip(?: ${WORD}*${LAST_OF_WORD})+?(?=[.,;:]?$|[.,;:] | [(·])`,
    // Inside a sentence, a command is its verb with options, placeholders and words with digits.
    `\\bscrip(?: (?:${GROUPS.join('|')}))? [a-z]+(?: (?:-[\\w-]+|<\\w+>|\\S*\\d\\S*))*`,
  ].join('|'),
  'g',
);

/** Replaces a space at which no line may break. */
const JOINT = '\u0000';

/** Splits a text into words; a command stays one unit. */
function unitsOf(text: string): readonly string[] {
  const joined = text.replace(COMMAND, (command) => command.replaceAll(' ', JOINT));
  return joined.split(' ').map((unit) => unit.replaceAll(JOINT, ' '));
}

function isCommand(unit: string): boolean {
  return unit.includes(' ');
}

/**
 * Splits a command as a shell reads it: each line but the last ends in a backslash; an option stays with its
 * value.
 */
function commandLines(command: string, columns: number): readonly string[] {
  if (textWidth(command) <= columns) return [command];
  const words = command.match(new RegExp(`--[\\w-]+ (?!-)${WORD}+|${WORD}+`, 'g')) ?? [command];
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > columns - 2) {
      lines.push(`${line} \\`);
      line = INDENT + word;
    } else line = longer;
  }
  return [...lines, line];
}

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

/** The patterns are compiled when first used, as in domain/message/message.ts. */
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
