/** A configuration in JSON, with one object that holds the servers by name. Edits the text in place. */

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
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { type ConfigFormat, isSameValue, SERVER_NAME } from './config-format.ts';

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
