/** Reads TOML 1.0 as far as an editor has to: which table or key each part belongs to, and where it stands. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';

/** Offsets are those of the text: `end` is behind the last character, line end not counted. */
export interface TomlPart {
  /** `[table]`, `[[list of tables]]` or `key = value`. */
  readonly kind: 'table' | 'list' | 'pair';
  /** Of a table its whole path; of a pair its own keys within the table above it. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  /** Of a pair: where its value stands, and what it is where that is a text or a list of texts. */
  readonly value?: { readonly start: number; readonly end: number; readonly plain: unknown };
}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

const MAX_DEPTH = 50;
const BLANKS = /[ \t]*/y;
const REST_OF_LINE = /[ \t]*(?:#[^\r\n]*)?/y;
const EOL = /\r?\n/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** Numbers, truth values, dates and times; what exactly they are is not our business. */
const SCALAR =
  /(?:true|false|[+-]?(?:inf|nan)|[+-]?\d[A-Za-z0-9_.:+-]*(?: \d\d:[0-9:.+-]+Z?)?)(?![A-Za-z0-9_])/y;
const BASIC = /"[^"\\\r\n]*(?:\\(?:[btnfr"\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})[^"\\\r\n]*)*"/y;
const LITERAL = /'[^'\r\n]*'/y;

/** @throws {ScripError} AGENT_CONFIG_INVALID with the line of what is no TOML */
export function readToml(text: string): readonly TomlPart[] {
  const reader: Reader = { text, at: text.startsWith('\uFEFF') ? 1 : 0, depth: 0 };
  const parts: TomlPart[] = [];
  while (reader.at < text.length) {
    match(reader, BLANKS);
    const part = readPart(reader);
    if (part) parts.push(part);
    match(reader, REST_OF_LINE);
    if (reader.at < text.length && !match(reader, EOL)) throw fault(reader, t`the line goes on`);
  }
  return parts;
}

function readPart(reader: Reader): TomlPart | undefined {
  const { text, at: start } = reader;
  const next = text[start];
  if (next === undefined || next === '#' || next === '\n' || next === '\r') return undefined;
  if (next === '[') return readTable(reader);
  const path = readPath(reader);
  if (reader.text[reader.at] !== '=') throw fault(reader, t`an = is missing here`);
  reader.at += 1;
  match(reader, BLANKS);
  const from = reader.at;
  const plain = readValue(reader);
  return {
    kind: 'pair',
    path,
    start,
    end: reader.at,
    value: { start: from, end: reader.at, plain },
  };
}

function readTable(reader: Reader): TomlPart {
  const start = reader.at;
  const isList = reader.text.startsWith('[[', start);
  const [open, close] = isList ? ['[[', ']]'] : ['[', ']'];
  reader.at += open.length;
  match(reader, BLANKS);
  const path = readPath(reader);
  if (!reader.text.startsWith(close, reader.at)) throw fault(reader, t`a ${close} is missing here`);
  reader.at += close.length;
  return { kind: isList ? 'list' : 'table', path, start, end: reader.at };
}

/** Dotted keys, and the blanks behind them. */
function readPath(reader: Reader): readonly string[] {
  const path: string[] = [];
  for (;;) {
    path.push(readKey(reader));
    match(reader, BLANKS);
    if (reader.text[reader.at] !== '.') return path;
    reader.at += 1;
    match(reader, BLANKS);
  }
}

function readKey(reader: Reader): string {
  const bare = match(reader, BARE_KEY);
  if (bare) return bare;
  const quoted = readLine(reader);
  if (quoted === undefined) throw fault(reader, t`a key is missing here`);
  return quoted;
}

/** A text on one line; undefined where there is none. */
function readLine(reader: Reader): string | undefined {
  const basic = match(reader, BASIC);
  if (basic) return decoded(basic.slice(1, -1));
  const literal = match(reader, LITERAL);
  return literal ? literal.slice(1, -1) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

function decoded(raw: string): string {
  return raw.replace(/\\(?:u(.{4})|U(.{8})|(.))/g, (_all, short, long, letter) => {
    const digits: unknown = short ?? long;
    if (typeof digits === 'string') return fromDigits(digits);
    return ESCAPES[String(letter)] ?? String(letter);
  });
}

function fromDigits(digits: string): string {
  const point = Number.parseInt(digits, 16);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : '\uFFFD';
}

/** Gives texts and lists of texts as they are; undefined for all else. */
function readValue(reader: Reader): unknown {
  const { text, at } = reader;
  if (text.startsWith('"""', at) || text.startsWith("'''", at)) return readBlock(reader);
  if (text[at] === '[') return nested(reader, readArray);
  if (text[at] === '{') return nested(reader, readInlineTable);
  const line = readLine(reader);
  if (line !== undefined) return line;
  if (!match(reader, SCALAR)) throw fault(reader, t`a value is missing here, or is not closed`);
  return undefined;
}

function nested(reader: Reader, read: (reader: Reader) => unknown): unknown {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw fault(reader, t`it is nested deeper than ${MAX_DEPTH}`);
  const value = read(reader);
  reader.depth -= 1;
  return value;
}

/** A text over several lines; up to two quotes may stand before those that close it. */
function readBlock(reader: Reader): undefined {
  const quote = reader.text.slice(reader.at, reader.at + 3);
  let at = reader.at + 3;
  while (!reader.text.startsWith(quote, at)) {
    if (at >= reader.text.length) throw fault(reader, t`a text is not closed`);
    at += quote === '"""' && reader.text[at] === '\\' ? 2 : 1;
  }
  at += 3;
  for (let more = 0; more < 2 && reader.text[at] === quote[0]; more += 1) at += 1;
  reader.at = at;
}

function readArray(reader: Reader): unknown {
  const values: unknown[] = [];
  readItems(reader, ']', () => {
    skipLines(reader);
    if (reader.text[reader.at] === ']') return false;
    values.push(readValue(reader));
    skipLines(reader);
    return true;
  });
  return values.includes(undefined) ? undefined : values;
}

function readInlineTable(reader: Reader): undefined {
  readItems(reader, '}', () => {
    match(reader, BLANKS);
    if (reader.text[reader.at] === '}') return false;
    readPath(reader);
    if (reader.text[reader.at] !== '=') throw fault(reader, t`an = is missing here`);
    reader.at += 1;
    match(reader, BLANKS);
    readValue(reader);
    match(reader, BLANKS);
    return true;
  });
}

/** Items between commas; `item` says false at the closing bracket. */
function readItems(reader: Reader, close: string, item: () => boolean): void {
  do reader.at += 1;
  while (item() && reader.text[reader.at] === ',');
  if (reader.text[reader.at] !== close) throw fault(reader, t`a comma or ${close} is missing here`);
  reader.at += 1;
}

/** Within a list lines may end, with comments. */
function skipLines(reader: Reader): void {
  do match(reader, REST_OF_LINE);
  while (match(reader, EOL));
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

/** Never a word of what the file holds: it may be a key of another program. */
function fault({ text, at }: Reader, what: Message): ScripError {
  const line = text.slice(0, at).split('\n').length;
  return new ScripError('AGENT_CONFIG_INVALID', t`line ${line}: ${what}`);
}
