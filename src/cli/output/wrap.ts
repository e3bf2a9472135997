/** Lines of a terminal, broken between words: the one place where a text is wrapped. */

import { QUOTED_WORD } from '../../domain/command-text.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { escapeText } from './escape.ts';
import { textWidth } from './width.ts';

/** In narrower columns words alone would stand. */
const LEAST_ROOM = 16;

/**
 * Lines of at most so many columns. A word that is longer stands whole on a line of its own; so does a
 * command, which goes on behind a backslash where it is longer than a line.
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

/** How far what stands below a label is indented. */
const INDENT = '  ';

/**
 * A value beside a label that takes so many columns: the first line goes on behind the label, the others
 * stand below it. Where a word of it is too long for that, all of it stands below the label.
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
  // Longer than the terminal, it begins at its edge: marked there, it is taken without a blank.
  const fit = (line: string): string =>
    textWidth(line) + INDENT.length > columns ? line : INDENT + line;
  return ['', ...below.map(fit)];
}

/** A text of paragraphs and columns, as it was written for a wide terminal, on one of so many columns. */
export function reflowed(text: string, columns: number): string {
  if (text.split('\n').every((line) => textWidth(line) <= columns)) return text;
  return text
    .split('\n\n')
    .flatMap((part) => ['', ...paragraphLines(part.split('\n'), columns)])
    .slice(1)
    .join('\n');
}

/** Prose flows; what is indented stays a line, with what it says beside it or below it. */
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

/** A description in fewer columns stands below what it describes. */
const LEAST_BESIDE = 28;

/** An option, a command or a setting, and what it is: beside each other, or one below the other. */
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

/** A sentence with its line break: wrapped on a terminal, in one line for a program that reads it. */
export function sentenceText(
  text: string,
  { isTerminal, columns }: Pick<OutputStream, 'isTerminal' | 'columns'>,
): string {
  const safe = escapeText(text);
  return `${isTerminal ? wrapWords(safe, columns).join('\n') : safe}\n`;
}

const WORD = `(?:${QUOTED_WORD.source}|[^'\\s])`;
const LAST_OF_WORD = `(?:${QUOTED_WORD.source}|[^'\\s.,;:])`;
const GROUPS = [
  'config',
  'debug',
  'help',
  'mcp',
  'orders',
  'policy',
  'profile',
  'sandbox',
  'wallet',
];
const COMMAND = new RegExp(
  [
    // What begins a sentence, or follows a colon, is a command to its end.
    `(?<=^|[:·] | {2})scrip(?: ${WORD}*${LAST_OF_WORD})+?(?=[.,;:]?$|[.,;:] | [(·])`,
    // In the middle of one: its verb, and what no sentence goes on with.
    `\\bscrip(?: (?:${GROUPS.join('|')}))? [a-z]+(?: (?:-[\\w-]+|<\\w+>|\\S*\\d\\S*))*`,
  ].join('|'),
  'g',
);

/** In place of a space that no line is broken at. */
const JOINT = '\u0000';

/** Words, and commands as if they were one. */
function unitsOf(text: string): readonly string[] {
  const joined = text.replace(COMMAND, (command) => command.replaceAll(' ', JOINT));
  return joined.split(' ').map((unit) => unit.replaceAll(JOINT, ' '));
}

function isCommand(unit: string): boolean {
  return unit.includes(' ');
}

/** As a shell reads on: each line but the last ends in a backslash; an option stays with its value. */
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
