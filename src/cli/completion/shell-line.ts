/** Parses a bash command line up to the cursor, as bash would, and quotes the text that completes it. */

/** The line before the cursor. */
export interface ShellLine {
  /** Complete words without quotes; nothing is expanded. */
  readonly words: readonly string[];
  /** The word being typed, without quotes. */
  readonly current: string;
  /** Length of its part that bash keeps; bash replaces the rest with the chosen value. */
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

/** Parses the line. @param breaks characters at which bash splits a word into parts: `COMP_WORDBREAKS` */
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

/** In double quotes a backslash escapes only some characters; in single quotes none. */
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

/** Quotes a text for the end of that line, so that bash reads back exactly this text. */
export function quoteForLine(text: string, quote: Quote | undefined): string {
  if (quote === undefined) return text.replace(/[^A-Za-z0-9_./+,=:@%\u0080-\u{10ffff}-]/gu, '\\$&');
  const inside = quote === '"' ? inDoubleQuotes(text) : text.replaceAll("'", "'\\''");
  // Bash adds the closing quote itself, unless the text ends with one.
  return inside.endsWith(quote) ? `${inside}${quote}` : inside;
}

/** In double quotes bash expands an exclamation mark from its history, so put it outside of them. */
function inDoubleQuotes(text: string): string {
  return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', '"\\!"');
}
