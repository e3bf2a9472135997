/** Texts from a line or setting: words split without a shell; a point in time; and none of them empty. */

import type { Command, Option } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

/** One word: quoted parts, and unquoted parts in which a backslash escapes a character. */
const WORD = /(?:"(?:\\["\\]|[^"\\]|\\(?=[^"\\]))*"|'[^']*'|\\[\s\S]|[^\s"'\\])+/y;
const PART = /"((?:\\["\\]|[^"\\]|\\(?=[^"\\]))*)"|'([^']*)'|\\([\s\S])|([^\s"'\\]+)/g;

/**
 * Splits at white space; quotes and backslashes keep words together, as in a shell. Also accepts a JSON array
 * of strings.
 * @param flag the option to name in errors
 * @throws {ScripError} INPUT_INVALID without a program, or for an open quote
 */
export function splitWords(text: string, flag: string): readonly string[] {
  const words = text.trimStart().startsWith('[') ? wordsOfJson(text) : wordsOf(text);
  if (words?.[0] !== undefined && words[0] !== '') return words;
  throw new ScripError('INPUT_INVALID', t`The command given with ${flag} cannot be parsed`, {
    hint: commandText`Write ${flag} 'notify-send "Gift card" delivered', or a JSON array of words.`,
  });
}

function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    WORD.lastIndex = at;
    const found = WORD.exec(text);
    if (found === null) return undefined;
    words.push(unquoted(found[0]));
    const end = at + found[0].length;
    at = skipSpace(text, end);
    // A word that does not end at white space has an unclosed quote.
    if (at === end && at < text.length) return undefined;
  }
  return words;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

function unquoted(word: string): string {
  return word.replaceAll(
    PART,
    (_part, double?: string, single?: string, escaped?: string, plain?: string) =>
      double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? escaped ?? plain ?? '',
  );
}

/** The words of a JSON array of strings; undefined for anything else. */
export function wordsOfJson(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string')
      ? words
      : undefined;
  } catch {
    return undefined;
  }
}

/** The words before `--`, which ends the options. */
export function optionWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

/** The value of an option as it was typed last: `--lang es` or `--lang=es`. */
export function typedValue(
  words: readonly string[],
  flag: string,
  short = flag,
): string | undefined {
  const said = optionWords(words);
  const isJoined = (word: string) => word.startsWith(`${flag}=`);
  const at = said.findLastIndex((word) => word === flag || word === short || isJoined(word));
  const word = said[at] ?? '';
  if (at === -1) return undefined;
  return isJoined(word) ? word.slice(flag.length + 1) : said[at + 1];
}

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

export type TypedInstant = { readonly atMs: number } | { readonly agoMs: number };

/** The hint for an invalid instant. */
export const INSTANT_HINT = t`Write a day, 2026-11-01, an instant, 2026-11-01T12:00Z, or a time back, 30d or 12h.`;

/** Undefined for any other text. */
export function readInstant(text: string): TypedInstant | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([dhm])$/.exec(text) ?? [];
  if (count !== undefined) return { agoMs: Number(count) * (UNIT_MS[unit] ?? 0) };
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text);
  const ms = isDay || isInstant ? Date.parse(text) : Number.NaN;
  // JavaScript may accept February 30 as a day in March.
  const isThere = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isThere ? { atMs: ms } : undefined;
}

/** Days are UTC days, as in all output. @throws {ScripError} INPUT_INVALID */
export function startOf(text: string, flag: string, nowMs: number): number {
  const instant = readInstant(text);
  if (instant !== undefined) return 'atMs' in instant ? instant.atMs : nowMs - instant.agoMs;
  throw new ScripError('INPUT_INVALID', t`${flag} "${text}" is not a date`, { hint: INSTANT_HINT });
}

/** Empty search text matches everything, so a script may pass an unset filter. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['--search']);

/**
 * Refuses an empty argument or option, and an option whose value is the next option: commander takes it.
 * @throws {ScripError} INPUT_INVALID naming it; USAGE
 */
export function refuseEmpty(command: Command): void {
  refuseSwallowed(command);
  const empty = emptyArgument(command) ?? emptyOption(command);
  if (empty === undefined) return;
  throw new ScripError('INPUT_INVALID', t`${empty} is empty`, {
    hint: t`Give it a value; a script variable may be unset.`,
    details: { empty },
  });
}

function refuseSwallowed(command: Command): void {
  const options = optionsOf(command);
  const flags: readonly unknown[] = options.map(({ option: { long } }) => long);
  const found = options.find(
    ({ option, of }) =>
      of.getOptionValueSource(option.attributeName()) === 'cli' &&
      flags.includes(of.getOptionValue(option.attributeName())),
  );
  if (found === undefined) return;
  throw new ScripError(
    'USAGE',
    t`Option '${found.option.flags.replace(/^-\w, /, '')}' argument missing`,
  );
}

function optionsOf(of: Command): readonly { readonly option: Option; readonly of: Command }[] {
  const own = of.options.map((option) => ({ option, of }));
  return of.parent === null ? own : [...own, ...optionsOf(of.parent)];
}

function emptyArgument({ args, registeredArguments }: Command): string | undefined {
  const at = args.findIndex((word) => word.trim() === '');
  return at === -1 ? undefined : (registeredArguments[at] ?? registeredArguments.at(-1))?.name();
}

function emptyOption(command: Command): string | undefined {
  return optionsOf(command).find(({ option, of }) => isEmpty(of, option))?.option.long;
}

function isEmpty(command: Command, option: Option): boolean {
  const name = option.attributeName();
  if (option.long === undefined || MAY_BE_EMPTY.has(option.long)) return false;
  return command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) === '';
}
