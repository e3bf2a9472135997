/**
 * Prints one record for people: labelled lines in groups, and a QR code above the groups that describe it.
 */

import { escapeText } from '../../domain/message/message.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { linked } from './link.ts';
import type { LocalLine, LocalRecordView } from './local-view.ts';
import { heightOf } from './paging.ts';
import { type Paint, paintFor } from './paint.ts';
import { besideLabel, lineWidths, sentenceText, textWidth, wrapWords } from './wrap.ts';

/** Columns between labels and values. */
const GAP = 2;

/**
 * Writes data to stdout and the QR code to stderr, since a code in a log is not scanned. On a terminal the QR code is
 * shown only if it fits together with everything below it; otherwise a sentence says how to see it.
 * @param end the text below the record
 */
export async function writeRecord(
  view: LocalRecordView,
  { stdout, stderr }: { readonly stdout: OutputStream; readonly stderr: OutputStream },
  end: string,
): Promise<void> {
  const { picture } = view;
  const groups = await groupTexts(view, stdout);
  const isShown = picture !== undefined && stderr.isTerminal;
  const below = isShown && stdout.isTerminal ? groups.splice(-picture.groupsBelow) : [];
  stdout.write(groups.join('\n'));
  if (isShown) {
    const { drawing, elsewhere } = picture;
    const isWhole = () => fits(`${drawing}${below.join('\n')}${end}`, stderr);
    // On a low screen only the first group stays below the QR code; the others go above.
    const [held = '', ...rest] = below;
    if (!isWhole() && rest.length > 0 && fits(`${drawing}${held}${end}`, stderr)) {
      stdout.write(['', ...rest].join('\n'));
      below.splice(1);
    }
    stderr.write(isWhole() ? drawing : `\n${sentenceText(elsewhere, stderr)}\n`);
  }
  stdout.write(below.join('\n'));
}

/** Whether the text fits the screen, together with the next prompt. */
export function fits(text: string, { columns, rows }: OutputStream): boolean {
  return heightOf(text, columns) < rows && lineWidths(text).every((width) => width <= columns);
}

async function groupTexts(view: LocalRecordView, stdout: OutputStream): Promise<string[]> {
  if (!stdout.isTerminal) {
    return [
      view.lines.map(([label, value]) => `${escapeText(label)}\t${escapeText(value)}\n`).join(''),
    ];
  }
  const groups = (view.screen ?? [view.lines]).filter((group) => group.length > 0);
  const width = Math.max(0, ...groups.flat().map(([label]) => textWidth(escapeText(label))));
  const paint = await paintFor(stdout);
  const heading = view.title === undefined ? [] : wrapWords(escapeText(view.title), stdout.columns);
  const title = heading.map((part) => `${paint.bold(part)}\n`).join('');
  const draw = (line: LocalLine): string => labelledText(line, { view, stdout, width, paint });
  const [first = '', ...rest] = groups.map((group) => group.map(draw).join(''));
  return [`${title}${first}`, ...rest];
}

/** Draws labels and values in columns, like the groups of a record. */
export function drawnLines(
  lines: readonly LocalLine[],
  look: Omit<Drawing, 'view' | 'width'>,
): string {
  const width = Math.max(0, ...lines.map(([label]) => textWidth(escapeText(label))));
  return lines.map((line) => labelledText(line, { view: {}, width, ...look })).join('');
}

interface Drawing {
  readonly view: Partial<Pick<LocalRecordView, 'links' | 'tones' | 'longIds'>>;
  readonly stdout: Pick<OutputStream, 'columns' | 'hasLinks'>;
  /** Width of the label column. */
  readonly width: number;
  readonly paint: Paint;
}

/** Indentation of a value below its label. */
const INDENT = 2;

/** Shortens an id to its beginning and end, enough to tell it from others. */
function middleCut(id: string, columns: number): string {
  const side = Math.min(MOST_SIDE, Math.floor((columns - 1) / 2));
  return escapeText(`${id.slice(0, side)}…${id.slice(-side)}`);
}
const MOST_SIDE = 12;

/** Indents a text without a label, so that it stands out; a triple click still selects just the text. */
const ALONE = '      ';

/** A label and its value; a long value continues on the lines below, broken between words. */
function labelledText(
  [label, value]: LocalLine,
  { view, stdout, width, paint: { bold, dim, tone } }: Drawing,
): string {
  const { links = {}, tones = {} } = view;
  if (label === '') {
    const alone = escapeText(value);
    return `${textWidth(ALONE + alone) > stdout.columns ? '' : ALONE}${bold(alone)}\n`;
  }
  const margin = width + GAP;
  const isCut = view.longIds?.includes(value) && textWidth(value) + INDENT > stdout.columns;
  const text = isCut ? middleCut(value, stdout.columns - margin) : escapeText(value);
  // Don't wrap a link: it must stay one piece to be clickable.
  const url = Object.hasOwn(links, value) ? links[value] : undefined;
  const [top = '', ...rest] =
    url === undefined ? besideLabel(text, { margin, columns: stdout.columns }) : [text];
  const [, first = '', more = ''] = /^(\S*)(.*)$/s.exec(linked(top, url, stdout)) ?? [];
  const told = `${tone(first, Object.hasOwn(tones, label) ? tones[label] : undefined)}${more}`;
  const space = ' '.repeat(margin - textWidth(escapeText(label)));
  const head = `${dim(escapeText(label))}${space}${told}`.trimEnd();
  return [head, ...rest].map((line) => `${line}\n`).join('');
}

/** Light on dark, as on most terminals: scanners read both, and find the code in a narrow frame. */
export async function qrPicture(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return `${renderUnicodeCompact(text, { border: 1 })}\n`;
}
