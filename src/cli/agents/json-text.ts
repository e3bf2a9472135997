/** Reads JSON, with comments where they are allowed, and tells where each part of it stands. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';

/** Offsets are those of the text: `end` is behind the last character. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  /** Plain value: objects, arrays, texts, numbers. */
  readonly value: unknown;
  /** Of an object, in its order; undefined for everything else. */
  readonly members?: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly node: JsonNode;
  /** Offset of the comma behind it. */
  readonly comma?: number;
}

interface Dialect {
  /** Comments, and a comma behind the last member. */
  readonly hasComments: boolean;
}

interface Reader extends Dialect {
  readonly text: string;
  at: number;
  depth: number;
}

/** No configuration is nested deeper. */
const MAX_DEPTH = 100;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** @throws {ScripError} AGENT_CONFIG_INVALID with the line of what is no JSON */
export function readJson(text: string, dialect: Dialect): JsonNode {
  // A byte order mark is none of the text; JSON.parse and editors differ on it, we leave it alone.
  const reader: Reader = { text, at: text.startsWith('\uFEFF') ? 1 : 0, depth: 0, ...dialect };
  skip(reader);
  const node = readValue(reader);
  skip(reader);
  if (reader.at < text.length) throw fault(reader, t`there is more behind the end of the document`);
  return node;
}

function readValue(reader: Reader): JsonNode {
  const start = reader.at;
  const first = reader.text[start];
  if (first === '{') return nested(reader, readObject);
  if (first === '[') return nested(reader, readArray);
  if (first === '"') return { start, value: readString(reader), end: reader.at };
  const number = match(reader, NUMBER);
  if (number !== undefined) return { start, value: Number(number), end: reader.at };
  const word = Object.keys(WORDS).find((candidate) => reader.text.startsWith(candidate, start));
  if (word === undefined) throw fault(reader, t`a value is missing here`);
  reader.at += word.length;
  return { start, value: WORDS[word], end: reader.at };
}

function nested(reader: Reader, read: (reader: Reader) => JsonNode): JsonNode {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw fault(reader, t`it is nested deeper than ${MAX_DEPTH}`);
  const node = read(reader);
  reader.depth -= 1;
  return node;
}

function readObject(reader: Reader): JsonNode {
  const start = reader.at;
  const members: JsonMember[] = [];
  const keys = new Set<string>();
  readList(reader, '}', () => {
    const member = readMember(reader);
    if (keys.has(member.key)) throw fault(reader, t`a key stands there twice`);
    keys.add(member.key);
    members.push(member);
    return (comma) => {
      members[members.length - 1] = { ...member, comma };
    };
  });
  const value = Object.fromEntries(members.map(({ key, node }) => [key, node.value]));
  return { start, end: reader.at, value, members };
}

function readMember(reader: Reader): JsonMember {
  const start = reader.at;
  if (reader.text[start] !== '"') throw fault(reader, t`a key in double quotes is missing here`);
  const key = readString(reader);
  skip(reader);
  if (reader.text[reader.at] !== ':') throw fault(reader, t`a colon is missing here`);
  reader.at += 1;
  skip(reader);
  return { key, start, node: readValue(reader) };
}

function readArray(reader: Reader): JsonNode {
  const start = reader.at;
  const values: unknown[] = [];
  readList(reader, ']', () => {
    values.push(readValue(reader).value);
    return () => undefined;
  });
  return { start, end: reader.at, value: values };
}

/** Items between commas up to the closing bracket; what an item gives is told of its comma. */
function readList(reader: Reader, close: string, item: () => (comma: number) => void): void {
  reader.at += 1;
  for (let count = 0; ; count += 1) {
    skip(reader);
    if (reader.text[reader.at] === close && (count === 0 || reader.hasComments)) break;
    const tell = item();
    skip(reader);
    if (reader.text[reader.at] === close) break;
    if (reader.text[reader.at] !== ',') throw fault(reader, t`a comma or ${close} is missing here`);
    tell(reader.at);
    reader.at += 1;
  }
  reader.at += 1;
}

function readString(reader: Reader): string {
  const start = reader.at;
  let end = start + 1;
  while (end < reader.text.length && reader.text[end] !== '"') {
    end += reader.text[end] === '\\' ? 2 : 1;
  }
  try {
    reader.at = end + 1;
    return String(JSON.parse(reader.text.slice(start, end + 1)));
  } catch {
    throw fault({ ...reader, at: start }, t`a text is not closed, or holds what it may not`);
  }
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

const BLANKS = /[ \t\r\n]*/y;

function skip(reader: Reader): void {
  match(reader, BLANKS);
  while (reader.text.startsWith('/', reader.at)) {
    if (!reader.hasComments)
      throw fault(reader, t`there is a comment, which this file may not have`);
    skipComment(reader);
    match(reader, BLANKS);
  }
}

function skipComment(reader: Reader): void {
  const isLine = reader.text.startsWith('//', reader.at);
  if (!isLine && !reader.text.startsWith('/*', reader.at)) throw fault(reader, t`a stray /`);
  const close = reader.text.indexOf(isLine ? '\n' : '*/', reader.at + 2);
  if (close === -1 && !isLine) throw fault(reader, t`a comment is not closed`);
  reader.at = isLine ? (close === -1 ? reader.text.length : close) : close + 2;
}

/** Never a word of what the file holds: it may be a key of another program. */
function fault({ text, at }: Reader, what: Message): ScripError {
  const line = text.slice(0, at).split('\n').length;
  return new ScripError('AGENT_CONFIG_INVALID', t`line ${line}: ${what}`);
}
