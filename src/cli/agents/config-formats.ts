/** Edits an agent's configuration file in place, in JSON or TOML: only our own entry among its servers. */

import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';

/** The command with which the agent starts a server. */
export interface ServerEntry {
  /** Absolute path of the program. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Fields of an entry as plain values; `undefined` for a value that we cannot read. */
type EntryFields = ReadonlyMap<string, unknown>;

/** Pure functions on the file's text. They change only our own entry. */
export interface ConfigFormat {
  /** The text to start from when there is no file. */
  readonly blank: string;
  /** The fields of our entry, in order. */
  fields(entry: ServerEntry): EntryFields;
  /** Returns our entry, if there is one. @throws {ScripError} AGENT_CONFIG_INVALID */
  read(text: string): EntryFields | undefined;
  /** Adds our entry, or replaces the fields that differ. @throws {ScripError} AGENT_CONFIG_INVALID */
  put(text: string, entry: ServerEntry): string;
  /** Removes our entry; returns the same text if there is none. @throws {ScripError} AGENT_CONFIG_INVALID */
  remove(text: string): string;
  /** The lines before and after the fields when the entry is shown to the user. */
  readonly frame: { readonly open: string; readonly close?: string };
  /** One field in the file's syntax. */
  line(name: string, value: unknown): string;
}

/** The name of our entry among the agent's servers. */
const SERVER_NAME = 'scrip';

/** Whether two plain values are equal. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

// A configuration in JSON, with one object that holds the servers by name. Edits the text in place.

interface JsonConfig {
  /** Key of the object that holds the servers. */
  readonly container: string;
  /** Whether comments and trailing commas are allowed. */
  readonly hasComments: boolean;
  /** Whether an entry has the field `type`. */
  readonly hasType: boolean;
}

export function jsonConfig({ container, hasComments, hasType }: JsonConfig): ConfigFormat {
  const path = [container, SERVER_NAME];
  const entryOf = (text: string) => findEntry(readJson(text, hasComments), container);
  const fields: ConfigFormat['fields'] = ({ command, args }) =>
    new Map<string, unknown>([...(hasType ? TYPE : []), ['command', command], ['args', args]]);
  return {
    blank: '{}\n',
    fields,
    read(text) {
      const entry = entryOf(text);
      return entry && new Map(Object.entries(getNodeValue(entry)));
    },
    put(text, wished) {
      const wanted = fields(wished);
      const entry = entryOf(text);
      if (entry === undefined) return edited(text, path, Object.fromEntries(wanted));
      const present = getNodeValue(entry);
      // Keeps the user's own fields, such as `env`.
      return [...wanted]
        .filter(([name, value]) => !isSameValue(present[name], value))
        .reduce((before, [name, value]) => edited(before, [...path, name], value), text);
    },
    remove(text) {
      const entry = entryOf(text);
      return entry ? without(text, path, entry) : text;
    },
    frame: { open: `"${container}": { "${SERVER_NAME}": {`, close: '} }' },
    line: (name, value) => `"${name}": ${JSON.stringify(value)}`,
  };
}

const TYPE: readonly (readonly [string, unknown])[] = [['type', 'stdio']];

/** Parses the text. @throws {ScripError} AGENT_CONFIG_INVALID with the line of the first error */
export function readJson(text: string, hasComments: boolean): Node {
  const errors: ParseError[] = [];
  const options = { disallowComments: !hasComments, allowTrailingComma: hasComments };
  const root = parsed(withoutMark(text), errors, options);
  const [first] = errors;
  if (first !== undefined) throw fault(text, first);
  if (root === undefined) throw unexpected(t`the document is empty`);
  return root;
}

/** The parser is recursive, so deep nesting overflows the stack. */
function parsed(...given: Parameters<typeof parseTree>): Node | undefined {
  try {
    return parseTree(...given);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ScripError('AGENT_CONFIG_INVALID', t`The document is nested too deeply`, { cause });
  }
}

/** Replaces a byte order mark with a blank, so that offsets stay valid for the file. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
}

/** Quotes nothing from the file: it may hold another program's key. */
function fault(text: string, { error, offset }: ParseError): ScripError {
  const line = text.slice(0, offset).split('\n').length;
  return unexpected(
    printParseErrorCode(error) === 'InvalidCommentToken'
      ? t`line ${line}: this file may not have comments`
      : t`line ${line} is not valid JSON`,
  );
}

/** Returns our entry. @throws {ScripError} AGENT_CONFIG_INVALID when the document has another structure */
function findEntry(root: Node, container: string): Node | undefined {
  checkObject(root, t`the document is not an object`);
  const servers = findNodeAtLocation(root, [container]);
  if (servers === undefined) return undefined;
  checkObject(servers, t`"${container}" is not an object`);
  const entry = findNodeAtLocation(servers, [SERVER_NAME]);
  if (entry === undefined) return undefined;
  const isOurs = entry.type === 'object' && findNodeAtLocation(entry, ['command']) !== undefined;
  if (!isOurs) throw unexpected(t`"${container}" already has a "${SERVER_NAME}" of another type`);
  checkObject(entry, t`"${SERVER_NAME}" is not an object`);
  return entry;
}

/** Programs differ in which of two equal keys they use, so refuse to edit such an object. */
function checkObject({ type, children = [] }: Node, otherwise: Message): void {
  if (type !== 'object') throw unexpected(otherwise);
  const keys = children.map(({ children: [key] = [] }) => key?.value);
  if (new Set(keys).size < keys.length) throw unexpected(t`a key occurs twice`);
}

function unexpected(what: Message): ScripError {
  return new ScripError('AGENT_CONFIG_INVALID', what);
}

function edited(text: string, path: readonly string[], value: unknown): string {
  const edits = modify(withoutMark(text), [...path], value, {});
  return applyEdits(
    text,
    edits.map((edit) => (edit.length === 0 ? laidOut(text, edit) : edit)),
  );
}

/**
 * Puts a new member on its own lines with the file's indentation; on one line if the whole file is one line.
 */
function laidOut(text: string, edit: Edit): Edit {
  const trimmed = text.trim();
  if (!trimmed.includes('\n') && trimmed !== '{}') return edit;
  const comma = edit.content.startsWith(',') ? ',' : '';
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const line = text.slice(text.lastIndexOf('\n', edit.offset - 1) + 1, edit.offset);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  const object: unknown = JSON.parse(`{${edit.content.slice(comma.length)}}`);
  const [, ...lines] = JSON.stringify(object, null, unit).split('\n');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  // After another member, whose line already has the right indentation.
  const shown =
    comma === ''
      ? [...lines.slice(0, -1), '']
      : lines.slice(0, -1).map((member) => member.slice(unit.length));
  return { ...edit, content: [comma, ...shown].join(`${eol}${indent}`) };
}

/** Removes the entry and its comma; keeps comments around it. */
function without(text: string, path: readonly string[], entry: Node): string {
  const member = entry.parent ?? entry;
  const servers = member.parent ?? member;
  const [edit] = modify(withoutMark(text), [...path], undefined, {});
  if (edit === undefined) return text;
  // For the only member, also remove a trailing comma.
  const isOnly = servers.children?.length === 1;
  const offset = edit.offset;
  const end = isOnly ? servers.offset + servers.length - 1 : offset + edit.length;
  const content =
    commentsOf(text.slice(offset, member.offset)) +
    commentsOf(text.slice(member.offset + member.length, end));
  return applyEdits(text, [{ offset, length: end - offset, content }]);
}

/** The comments between two members, without the comma; empty if there are none. */
function commentsOf(between: string): string {
  const code = stripComments(between, ' ');
  if (code === between) return '';
  const comma = code.indexOf(',');
  return comma === -1 ? between : between.slice(0, comma) + between.slice(comma + 1);
}

// * A configuration in TOML. Our table is a block between two marker comments at the end of the file. Text
// outside the block is only checked for another entry with our server's name.

/** The same style of markers as conda's. */
const [BEGIN, END] = [mark('>>>'), mark('<<<')];

function mark(arrows: string): string {
  return ['#', arrows, SERVER_NAME, arrows].join(' ');
}

/** Returns the format of a TOML file. @param container the table that holds the servers' tables */
export function tomlConfig(container: string): ConfigFormat {
  const header = `[${container}.${SERVER_NAME}]`;
  const locate = (text: string) => locateBlock(text, container);
  const blockOf = (entry: ServerEntry) => [
    BEGIN,
    header,
    ...[...tomlFields(entry)].map(([name, value]) => tomlLine(name, value)),
    END,
  ];
  return {
    blank: '',
    fields: tomlFields,
    read(text) {
      const { block } = locate(text);
      return block === undefined ? undefined : readFields(block);
    },
    put(text, entry) {
      const { before, block, after } = locate(text);
      const eol = eolOf(text);
      const written = blockOf(entry).join(eol);
      if (block !== undefined) return before + written + after;
      const end = text === '' || text.endsWith('\n') ? '' : eol;
      return `${text}${end}${text.trim() === '' ? '' : eol}${written}${eol}`;
    },
    remove(text) {
      const { before, block, after } = locate(text);
      if (block === undefined) return text;
      // Also removes the blank line that `put` added above the block.
      return before.replace(/(^|\n)\r?\n$/, '$1') + after.replace(/^\r?\n/, '');
    },
    frame: { open: header },
    line: tomlLine,
  };
}

function tomlFields({ command, args }: ServerEntry): EntryFields {
  return new Map<string, unknown>([
    ['command', command],
    ['args', args],
  ]);
}

/** JSON strings and arrays of strings are valid TOML, except for the character U+007F. */
function tomlLine(name: string, value: unknown): string {
  return `${name} = ${JSON.stringify(value).replaceAll('\u007f', '\\u007f')}`;
}

/** The fields as `line` wrote them; undefined for a value that was edited by hand. */
function readFields(block: string): EntryFields {
  const pairs = [...block.matchAll(/^(\w+) = (.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', written = '']) => [name, parsedValue(written)]));
}

function parsedValue(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Finds the block, from marker to marker. @throws {ScripError} AGENT_CONFIG_INVALID when our server is configured outside of it */
function locateBlock(text: string, container: string) {
  const lines = text.split('\n');
  const [begin, end] = [marked(lines, BEGIN), marked(lines, END)];
  if (begin === -1 && end === -1) {
    checkForeign(lines, container);
    return { before: text, block: undefined, after: '' };
  }
  if (begin === -1 || end < begin) throw unexpected(t`a marker of scrip’s block is missing`);
  const after = lines.slice(end + 1);
  checkForeign([...lines.slice(0, begin), '', ...after], container);
  const next = after.find((text) => text.trim() !== '' && !/^\s*#/.test(text));
  if (next !== undefined && !/^\s*\[/.test(next)) {
    throw unexpected(t`lines after scrip’s block would become part of its table`);
  }
  const start = offsetOf(lines, begin);
  const stop = offsetOf(lines, end) + END.length;
  return { before: text.slice(0, start), block: text.slice(start, stop), after: text.slice(stop) };
}

/** The line of a marker, or -1. @throws {ScripError} AGENT_CONFIG_INVALID when it occurs twice */
function marked(lines: readonly string[], mark: string): number {
  const isMark = (text: string): boolean => text.replace(/\r$/, '') === mark;
  const at = lines.findIndex(isMark);
  if (lines.some((text, index) => index > at && isMark(text) && at !== -1)) {
    throw unexpected(t`scrip’s block occurs twice`);
  }
  return at;
}

function offsetOf(lines: readonly string[], index: number): number {
  return lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0);
}

/**
 * Refuses `[mcp_servers.scrip]`, `mcp_servers.scrip.command = …`, `scrip = …`, `mcp_servers = {…}` and
 * `[[mcp_servers]]`.
 */
function checkForeign(lines: readonly string[], container: string): void {
  const names = new RegExp(`(^|[\\s.\\["'])${SERVER_NAME}["']?\\s*[\\].=]`);
  const holds = new RegExp(`^\\s*(\\[\\[\\s*)?["']?${container}["']?\\s*(=|\\]\\])`);
  const isForeign = lines.some(
    (text) => !/^\s*#/.test(text) && (names.test(text) || holds.test(text)),
  );
  if (isForeign) throw unexpected(t`it names a server "${SERVER_NAME}" that scrip did not write`);
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
