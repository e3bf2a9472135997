/**
 * Answers `scrip completion --values`: for a shell the completions at its cursor, for a script all values of
 * a kind.
 */

import { escapeText } from '../../domain/message/message.ts';
import { type Candidate, type Completion, completionAt, type TypedLine } from './candidates.ts';
import type { LiveKind } from './choices.ts';
import { answerLive, isLiveKind, type KnownHere } from './live.ts';

/** Asks for the completions of a whole line; any other word names a kind of value. */
const LINE = 'line';

/**
 * Returns the answer to `completion --values`.
 * @param words those after `completion --values`: `line` or a kind, our own options, `--`, then the line
 * @returns for a kind, one value per line with its description after a tab; for a line, what its shell reads:
 * first `:values`, `:open` (the word may continue), `:files` or `:folders`, then the values
 */
export function answerCompletion(words: readonly string[], here: KnownHere): string {
  const [kind = '', ...rest] = words;
  const request = readRequest(rest);
  if (kind === LINE) return (request.shell === 'bash' ? asBash : asWords)(request, here);
  if (!isLiveKind(kind)) return '';
  const found = answerLive(kind, { words: request.line, path: '' }, here);
  return found.filter(isShowable).map(described).join('');
}

type Request = ReturnType<typeof readRequest>;

function readRequest(words: readonly string[]) {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  const line = end === -1 ? words : words.slice(end + 1);
  const said = (name: string): string => {
    const at = own.indexOf(name);
    return at === -1 ? '' : (own[at + 1] ?? '');
  };
  const at = said('--at');
  return {
    shell: said('--shell'),
    /** For bash: its `COMP_WORDBREAKS` and `COMP_TYPE`. */
    breaks: said('--breaks'),
    type: said('--type'),
    /** Index of the word at the cursor; default: the last word. */
    at: /^\d+$/.test(at) ? Number(at) : Math.max(0, line.length - 1),
    line,
  };
}

/**
 * Fish filters whole words, so each value includes its prefix (`--brand=`); zsh removes the prefix itself and filters
 * by what is typed.
 */
function asWords(request: Request, here: KnownHere): string {
  const found = offer(lineOfWords(request), here);
  const prefix = request.shell === 'fish' ? found.prefix : '';
  return printed(found, ({ value, what }) => described({ value: prefix + value, what }));
}

function lineOfWords({ line, at }: Request): TypedLine {
  return { before: line.slice(0, at), current: line[at] ?? '', after: line.slice(at + 1) };
}

function offer(line: TypedLine, here: KnownHere): Completion {
  const tree = here.tree();
  if (tree === undefined) return { kind: 'values', prefix: '', candidates: [], isOpen: false };
  const words = [...line.before, ...line.after];
  const ask = (of: LiveKind, path: string) => answerLive(of, { words, path }, here);
  const found = completionAt(tree, line, ask);
  return { ...found, candidates: found.candidates.filter(isShowable) };
}

function printed(
  { kind, candidates, isOpen }: Completion,
  print: (one: Candidate) => string,
): string {
  const isMore = isOpen || (candidates.length > 0 && candidates.every(isBeginning));
  const mark = kind === 'values' && isMore ? 'open' : kind;
  return `:${mark}\n${candidates.map(print).join('')}`;
}

/** A value that the user continues, such as a key that ends with a dot or a fault that needs a value. */
function isBeginning({ value }: Candidate): boolean {
  return /[.=]$/.test(value);
}

/**
 * Bash does not filter, and inserts each value as it is: filter here, and return the rest of the word in its
 * quoting.
 */
function asBash({ line: [typed = '', rest = ''], breaks, type }: Request, here: KnownHere): string {
  const read = readShellLine(typed, breaks);
  const later = readShellLine(`${rest} `, breaks).words.slice(/^\s/.test(rest) ? 0 : 1);
  const line = { before: withoutProgram(read.words), current: read.current, after: later };
  const found = offer(line, here);
  const candidates = beginning(found, read.current);
  const finished = ({ value }: Candidate): string => finishing(found.prefix + value, read);
  const widest = Math.max(0, ...candidates.map((one) => finished(one).length));
  const isList = LISTING.has(type) && candidates.length > 1;
  return printed({ ...found, candidates }, (one) => {
    const value = finished(one);
    return isList && one.what !== '' ? `${value.padEnd(widest)}  (${one.what})\n` : `${value}\n`;
  });
}

/** When bash lists several values: at the second tab (`?`), or at once where that is set (`!`). It then inserts only what all have in common. */
const LISTING: ReadonlySet<string> = new Set(['63', '33']);

function finishing(word: string, { kept, quote }: ShellLine): string {
  return quoteForLine(word.slice(kept), quote);
}

/** Drops everything up to the program's name, such as variables set for this command. */
function withoutProgram(words: readonly string[]): readonly string[] {
  const name = words.findIndex((word) => !/^(?:\w+=.*|[&.])$/s.test(word));
  return name === -1 ? [] : words.slice(name + 1);
}

/** Values that start with the typed text; if there are none, ignore case. */
function beginning({ candidates, prefix }: Completion, current: string): readonly Candidate[] {
  const typed = current.slice(prefix.length);
  const exact = candidates.filter(({ value }) => value.startsWith(typed));
  const like = typed.toLowerCase();
  return exact.length > 0
    ? exact
    : candidates.filter(({ value }) => value.toLowerCase().startsWith(like));
}

/** Values with escaped characters are not offered: the user could not check them. */
function isShowable({ value, what }: Candidate): boolean {
  return value !== '' && escapeText(value) === value && escapeText(what) === what;
}

function described({ value, what }: Candidate): string {
  return what === '' ? `${value}\n` : `${value}\t${what}\n`;
}

// Parses a bash command line up to the cursor, as bash would, and quotes the text that completes it.

/** The line before the cursor. */
interface ShellLine {
  /** Complete words without quotes; nothing is expanded. */
  readonly words: readonly string[];
  /** The word being typed, without quotes. */
  readonly current: string;
  /** Length of its part that bash keeps; bash replaces the rest with the chosen value. */
  readonly kept: number;
  /** A quote that is still open. */
  readonly quote: '"' | "'" | undefined;
}

/** White space, an escaped character, a text in quotes that may be open, or plain characters. */
const PART =
  /[ \t\n]+|\\(?<escaped>[\s\S]?)|"(?<double>(?:\\["\\$`]|[^"])*)(?<end>"?)|'(?<single>[^']*)(?<stop>'?)|[^ \t\n\\"']+/g;

/** Parses the line. @param breaks characters at which bash splits a word into parts: `COMP_WORDBREAKS` */
export function readShellLine(line: string, breaks: string): ShellLine {
  const words: string[] = [];
  const none = { current: '', kept: 0, quote: undefined };
  let word: Omit<ShellLine, 'words'> | undefined;
  for (const { 0: part, groups = {} } of line.matchAll(PART)) {
    const { escaped, double, end, single, stop } = groups;
    if (/^[ \t\n]/.test(part)) {
      if (word !== undefined) words.push(word.current);
      word = undefined;
      continue;
    }
    const { current, kept } = word ?? none;
    // In double quotes a backslash escapes only these characters.
    const quoted = single ?? double?.replace(/\\(["\\$`])/g, '$1');
    const longer = current + (quoted ?? escaped ?? part);
    if (quoted !== undefined) {
      const quote = single === undefined ? '"' : "'";
      const isOpen = (end ?? stop) === '';
      word = isOpen
        ? { current: longer, kept: current.length, quote }
        : { current: longer, kept: longer.length, quote: undefined };
    } else {
      const at = Math.max(-1, ...[...breaks].map((one) => part.lastIndexOf(one)));
      const isSplit = escaped === undefined && at !== -1;
      word = { ...none, current: longer, kept: isSplit ? current.length + at + 1 : kept };
    }
  }
  return { words, ...(word ?? none) };
}

/** Quotes a text for the end of that line, so that bash reads back exactly this text. */
export function quoteForLine(text: string, quote: ShellLine['quote']): string {
  if (quote === undefined) return text.replace(/[^A-Za-z0-9_./+,=:@%\u0080-\u{10ffff}-]/gu, '\\$&');
  const inside = quote === '"' ? inDoubleQuotes(text) : text.replaceAll("'", "'\\''");
  // Bash adds the closing quote itself, unless the text ends with one.
  return inside.endsWith(quote) ? `${inside}${quote}` : inside;
}

/** In double quotes bash expands an exclamation mark from its history, so put it outside of them. */
function inDoubleQuotes(text: string): string {
  return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', '"\\!"');
}
