/** Splits a command line from a setting or option into words, without a shell: nothing is expanded. */

import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

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
