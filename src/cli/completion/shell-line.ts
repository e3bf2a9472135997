/** A line of bash up to the cursor: its words as the shell would hand them over, and how one is finished. */

/** What stands before the cursor. */
export interface ShellLine {
  /** Words that are finished, quotes taken off; nothing in them is expanded. */
  readonly words: readonly string[];
  /** The one being typed, quotes taken off. */
  readonly current: string;
  /** How much of it stays as it is: bash replaces the rest with what is chosen. */
  readonly kept: number;
  /** A quote that is still open. */
  readonly quote: Quote | undefined;
}

type Quote = '"' | "'";

interface Reading {
  readonly words: string[];
  current: string;
  isBegun: boolean;
  kept: number;
  quote: Quote | undefined;
}

/** @param breaks characters at which bash begins another part of a word: `COMP_WORDBREAKS` */
export function readShellLine(line: string, breaks: string): ShellLine {
  const reading: Reading = { words: [], current: '', isBegun: false, kept: 0, quote: undefined };
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '\\' && isEscape(reading.quote, characters[at + 1])) {
      at += 1;
      add(reading, characters[at] ?? '');
    } else if (reading.quote !== undefined) readQuoted(reading, character);
    else readPlain(reading, character, breaks);
  }
  const { words, current, kept, quote } = reading;
  return { words, current, kept, quote };
}

/** Within double quotes a backslash is itself before most characters; within single ones always. */
function isEscape(quote: Quote | undefined, next: string | undefined): boolean {
  if (quote === undefined) return true;
  return quote === '"' && next !== undefined && '"\\$`'.includes(next);
}

function readQuoted(reading: Reading, character: string): void {
  if (character !== reading.quote) {
    add(reading, character);
    return;
  }
  reading.quote = undefined;
  reading.kept = reading.current.length;
}

function readPlain(reading: Reading, character: string, breaks: string): void {
  if (character === ' ' || character === '\t' || character === '\n') {
    endWord(reading);
  } else if (character === '"' || character === "'") {
    reading.quote = character;
    reading.isBegun = true;
    reading.kept = reading.current.length;
  } else {
    add(reading, character);
    if (breaks.includes(character)) reading.kept = reading.current.length;
  }
}

function add(reading: Reading, character: string): void {
  reading.current += character;
  reading.isBegun = true;
}

function endWord(reading: Reading): void {
  if (reading.isBegun) reading.words.push(reading.current);
  Object.assign(reading, { current: '', isBegun: false, kept: 0 });
}

/** Text as it may stand at the end of that line: the shell reads back exactly the text. */
export function quoteForLine(text: string, quote: Quote | undefined): string {
  if (quote === undefined) return text.replace(/[^A-Za-z0-9_./+,=:@%\u0080-\u{10ffff}-]/gu, '\\$&');
  const inside = quote === '"' ? inDoubleQuotes(text) : text.replaceAll("'", "'\\''");
  // Bash closes the quote itself, unless one is the last character.
  return inside.endsWith(quote) ? `${inside}${quote}` : inside;
}

/** Bash would look an exclamation mark up in its history there: it stands between two quoted parts. */
function inDoubleQuotes(text: string): string {
  return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', '"\\!"');
}
