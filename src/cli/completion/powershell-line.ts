/** A line of PowerShell up to the cursor, and words as it takes them (its about_Quoting_Rules). */

export interface PowerShellLine {
  /** Words that are finished, quotes taken off; nothing in them is expanded. */
  readonly words: readonly string[];
  /** The one being typed. */
  readonly current: string;
}

/** To PowerShell the typographic ones are quotes as well. */
const SINGLE = "'\u2018\u2019\u201a\u201b";
const DOUBLE = '"\u201c\u201d\u201e';

interface Reading {
  readonly words: string[];
  current: string | undefined;
  /** All the characters that end the quote which is open. */
  quote: string | undefined;
}

export function readPowerShellLine(line: string): PowerShellLine {
  const reading: Reading = { words: [], current: undefined, quote: undefined };
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const next = characters[at + 1] ?? '';
    const isPair = reading.quote?.includes(character) === true && reading.quote.includes(next);
    if ((isPair && next !== '') || (character === '`' && reading.quote !== SINGLE)) {
      at += 1;
      add(reading, next);
    } else if (reading.quote !== undefined) readQuoted(reading, character);
    else readPlain(reading, character);
  }
  return { words: reading.words, current: reading.current ?? '' };
}

function readQuoted(reading: Reading, character: string): void {
  if (reading.quote?.includes(character)) reading.quote = undefined;
  else add(reading, character);
}

function readPlain(reading: Reading, character: string): void {
  if (/\s/.test(character)) endWord(reading);
  else if (SINGLE.includes(character)) openQuote(reading, SINGLE);
  else if (DOUBLE.includes(character)) openQuote(reading, DOUBLE);
  else add(reading, character);
}

function openQuote(reading: Reading, quote: string): void {
  reading.quote = quote;
  add(reading, '');
}

function add(reading: Reading, text: string): void {
  reading.current = (reading.current ?? '') + text;
}

function endWord(reading: Reading): void {
  if (reading.current !== undefined) reading.words.push(reading.current);
  reading.current = undefined;
}

/** A letter or an option first, or an id with dashes: what begins with a digit may be a number to it. */
const BARE = /^(?:(?:--)?[A-Za-z_][\w./:=+-]*|\d+\w*-[\w./:=+-]*)$/;

/** Between single quotes nothing is expanded; a quote within them is written twice. */
export function quoteForPowerShell(text: string): string {
  if (BARE.test(text)) return text;
  return `'${text.replace(new RegExp(`[${SINGLE}]`, 'g'), '$&$&')}'`;
}
