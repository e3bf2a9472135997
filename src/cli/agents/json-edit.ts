/** Adds and removes one member of an object in a JSON text; every other byte stays where it is. */
import type { JsonMember, JsonNode } from './json-text.ts';

/** Adds a member behind the last one, laid out as its neighbours are. */
export function addMember(text: string, object: JsonNode, key: string, value: unknown): string {
  const [first] = object.members ?? [];
  return first === undefined
    ? addFirst(text, object, key, value)
    : addLast(text, object, first, { key, value });
}

interface Addition {
  readonly key: string;
  readonly value: unknown;
}

function addLast(
  text: string,
  object: JsonNode,
  first: JsonMember,
  { key, value }: Addition,
): string {
  const last = object.members?.at(-1) ?? first;
  const isTrailed = last.comma !== undefined;
  const at = withoutBlanks(text, object.end - 1);
  const isBroken = text.slice(object.start, first.start).includes('\n');
  // What follows a line comment on its line would be part of it.
  const mustBreak = isBroken || text.slice(last.node.end, at).includes('//');
  const indent = isBroken
    ? indentAt(text, first.start)
    : indentAt(text, object.start) + unitOf(text);
  const gap = isCompact(text) ? '' : ' ';
  const added = mustBreak
    ? `${eolOf(text)}${indent}${pretty(text, indent, { key, value })}`
    : `${gap}${inline(gap, { key, value })}`;
  return [
    text.slice(0, last.node.end),
    isTrailed ? '' : ',',
    text.slice(last.node.end, at),
    added,
    isTrailed ? ',' : '',
    text.slice(at),
  ].join('');
}

function addFirst(text: string, object: JsonNode, key: string, value: unknown): string {
  // Comments within the braces stay in front of the member.
  const at = withoutBlanks(text, object.end - 1);
  const [before, after] = [text.slice(0, at), text.slice(object.end - 1)];
  if (isCompact(text) && at === object.start + 1)
    return `${before}${inline('', { key, value })}${after}`;
  const base = indentAt(text, object.start);
  const indent = base + unitOf(text);
  const eol = eolOf(text);
  return `${before}${eol}${indent}${pretty(text, indent, { key, value })}${eol}${base}${after}`;
}

/** Takes a member out, with its comma; comments stay. */
export function removeMember(text: string, object: JsonNode, member: JsonMember): string {
  const members = object.members ?? [];
  const previous = members[members.indexOf(member) - 1];
  const isLast = members.at(-1) === member;
  const end = (member.comma ?? member.node.end - 1) + 1;
  const start = removalStart(text, { member, previous, object, end });
  const needless = isLast && member.comma === undefined ? previous?.comma : undefined;
  const kept =
    needless === undefined ? text.slice(0, start) : without(text, needless).slice(0, start - 1);
  return members.length === 1 ? closed(kept, text.slice(end)) : `${kept}${text.slice(end)}`;
}

interface Removal {
  readonly member: JsonMember;
  readonly previous: JsonMember | undefined;
  readonly object: JsonNode;
  readonly end: number;
}

/** Behind what stands before the member, unless that is a line comment which needs its line end. */
function removalStart(text: string, { member, previous, object, end }: Removal): number {
  const trivia = text.slice(previous?.node.end ?? object.start, member.start);
  const isLineLeft = /^[ \t]*\r?\n/.test(text.slice(end));
  if (trivia.includes('//') && !isLineLeft) return member.start;
  return withoutBlanks(text, member.start);
}

/** An object that has nothing left in it is `{}`. */
function closed(before: string, after: string): string {
  const rest = after.trimStart();
  return before.endsWith('{') && rest.startsWith('}') ? `${before}${rest}` : `${before}${after}`;
}

function without(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1);
}

/** Offset behind the last character before `end` that is no blank. */
function withoutBlanks(text: string, end: number): number {
  let at = end;
  while (at > 0 && ' \t\r\n'.includes(text[at - 1] ?? '')) at -= 1;
  return at;
}

/** Blanks at the start of the line that an offset is on. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** One level of indentation, as the first line shows that has one. */
function unitOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Everything on one line; an empty object has no layout yet. */
function isCompact(text: string): boolean {
  const trimmed = text.trim();
  return !trimmed.includes('\n') && trimmed !== '{}';
}

function pretty(text: string, indent: string, { key, value }: Addition): string {
  const body = JSON.stringify(value, null, unitOf(text))
    .split('\n')
    .join(`${eolOf(text)}${indent}`);
  return `${JSON.stringify(key)}: ${body}`;
}

function inline(gap: string, { key, value }: Addition): string {
  return `${JSON.stringify(key)}:${gap}${JSON.stringify(value)}`;
}
