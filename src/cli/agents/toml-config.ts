/** A configuration in TOML: a table for each server. Edited in place, as a text. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import {
  type ConfigFormat,
  type EntryFields,
  isSameValue,
  SERVER_NAME,
  type ServerEntry,
} from './config-format.ts';
import { readToml, type TomlPart } from './toml-text.ts';

/** @param container table that holds the servers' tables */
export function tomlConfig(container: string): ConfigFormat {
  const path = [container, SERVER_NAME];
  const header = `[${path.join('.')}]`;
  return {
    blank: '',
    fields,
    read(text) {
      const own = locate(text, path)?.pairs;
      return own && new Map(own.map(({ path: keys, value }) => [keys.join('.'), value?.plain]));
    },
    put(text, entry) {
      const found = locate(text, path);
      const wanted = fields(entry);
      if (found) return setFields(text, found, wanted);
      return appended(text, [header, ...[...wanted].map(([name, value]) => line(name, value))]);
    },
    remove: (text) => (locate(text, path) ? removeTables(text, path) : text),
    frame: { open: header },
    line,
  };
}

function fields({ command, args }: ServerEntry): EntryFields {
  return new Map<string, unknown>([
    ['command', command],
    ['args', args],
  ]);
}

/** JSON's texts and lists of texts are TOML's as well, but for one character. */
function line(name: string, value: unknown): string {
  return `${name} = ${JSON.stringify(value).replaceAll('\u007f', '\\u007f')}`;
}

interface Table {
  readonly header: TomlPart;
  readonly pairs: readonly TomlPart[];
}

/** Our table. @throws {ScripError} AGENT_CONFIG_INVALID where it is written in another form */
function locate(text: string, path: readonly string[]): Table | undefined {
  const parts = readToml(text);
  const headers = parts.filter(({ kind, path: at }) => kind !== 'pair' && isSameValue(at, path));
  const [header, second] = headers;
  if (second || header?.kind === 'list')
    throw unexpected(t`[${path.join('.')}] stands there twice`);
  if (isElsewhere(parts, path)) {
    throw unexpected(t`"${path.join('.')}" is not written as a table of its own`);
  }
  if (!header) return undefined;
  const pairs = untilHeader(parts, parts.indexOf(header) + 1);
  if (pairs.some(({ path: [key] }) => key === 'command')) return { header, pairs };
  throw unexpected(t`[${path.join('.')}] is another kind of server already`);
}

/** `mcp_servers = {…}`, `mcp_servers.scrip.command = …`, or `scrip = …` below `[mcp_servers]`. */
function isElsewhere(parts: readonly TomlPart[], path: readonly string[]): boolean {
  let table: readonly string[] = [];
  for (const part of parts) {
    if (part.kind !== 'pair') table = part.path;
    // Below our own table it is a field of ours.
    else if (!startsWith(table, path) && meets([...table, ...part.path], path)) return true;
  }
  return parts.some(({ kind, path: at }) => kind === 'list' && startsWith(path, at));
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}

function meets(one: readonly string[], other: readonly string[]): boolean {
  return startsWith(one, other) || startsWith(other, one);
}

function untilHeader(parts: readonly TomlPart[], from: number): readonly TomlPart[] {
  const next = parts.findIndex(({ kind }, index) => index >= from && kind !== 'pair');
  return parts.slice(from, next === -1 ? parts.length : next);
}

function unexpected(what: Message): ScripError {
  return new ScripError('AGENT_CONFIG_INVALID', what);
}

/** Fields of the user's own stay. From the last to the first, so that offsets hold. */
function setFields(text: string, { header, pairs }: Table, wanted: EntryFields): string {
  const missing = [...wanted].filter(
    ([name]) => !pairs.some(({ path }) => path.join('.') === name),
  );
  const lines = missing.map(([name, value]) => `${eolOf(text)}${line(name, value)}`).join('');
  const lineEnd = endOfLine(text, header.end);
  const replaced = pairs.toReversed().reduce((edited, { path, value }) => {
    const name = path.join('.');
    if (!value || !wanted.has(name) || isSameValue(value.plain, wanted.get(name))) return edited;
    const written = line(name, wanted.get(name)).slice(`${name} = `.length);
    return `${edited.slice(0, value.start)}${written}${edited.slice(value.end)}`;
  }, text);
  return `${replaced.slice(0, lineEnd)}${lines}${replaced.slice(lineEnd)}`;
}

/** A table at the end, behind an empty line. */
function appended(text: string, lines: readonly string[]): string {
  const eol = eolOf(text);
  const isBlank = text.trim() === '';
  const before = isBlank || text.endsWith('\n') ? text : `${text}${eol}`;
  return `${before}${isBlank ? '' : eol}${lines.join(eol)}${eol}`;
}

/** Our table and those below it, each up to the next header; comments above that one stay. */
function removeTables(text: string, path: readonly string[]): string {
  const parts = readToml(text);
  const headers = parts.filter(({ kind }) => kind !== 'pair');
  return headers.toReversed().reduce((edited, header) => {
    if (!startsWith(header.path, path)) return edited;
    const pairs = untilHeader(parts, parts.indexOf(header) + 1);
    const end = afterLine(edited, (pairs.at(-1) ?? header).end);
    const start = startOfRemoval(edited, header.start, end);
    return `${edited.slice(0, start)}${edited.slice(end)}`;
  }, text);
}

/** The empty line above goes with a table, as it came with it. */
function startOfRemoval(text: string, at: number, end: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(0, start);
  const empty = /(?:^|\n)(\r?\n)$/.exec(before)?.[1];
  const isSeparated = end >= text.length || /^[ \t]*\r?\n/.test(text.slice(end));
  return empty !== undefined && isSeparated ? start - empty.length : start;
}

function endOfLine(text: string, at: number): number {
  const end = text.slice(at).search(/\r?\n/);
  return end === -1 ? text.length : at + end;
}

function afterLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
