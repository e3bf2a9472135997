/**
 * A configuration in TOML. Our table is a block between two marker comments at the end of the file. Text
 * outside the block is only checked for another entry with our server's name.
 */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import {
  type ConfigFormat,
  type EntryFields,
  SERVER_NAME,
  type ServerEntry,
} from './config-format.ts';

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
    ...[...fields(entry)].map(([name, value]) => line(name, value)),
    END,
  ];
  return {
    blank: '',
    fields,
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
    line,
  };
}

function fields({ command, args }: ServerEntry): EntryFields {
  return new Map<string, unknown>([
    ['command', command],
    ['args', args],
  ]);
}

/** JSON strings and arrays of strings are valid TOML, except for the character U+007F. */
function line(name: string, value: unknown): string {
  return `${name} = ${JSON.stringify(value).replaceAll('\u007f', '\\u007f')}`;
}

/** The fields as `line` wrote them; undefined for a value that was edited by hand. */
function readFields(block: string): EntryFields {
  const pairs = [...block.matchAll(/^(\w+) = (.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', written = '']) => [name, parsed(written)]));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Located {
  readonly before: string;
  /** From marker to marker; undefined if there are none. */
  readonly block: string | undefined;
  readonly after: string;
}

/** Finds the block. @throws {ScripError} AGENT_CONFIG_INVALID when our server is configured outside of it */
function locateBlock(text: string, container: string): Located {
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

function unexpected(what: Message): ScripError {
  return new ScripError('AGENT_CONFIG_INVALID', what);
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
