/**
 * Adds the typed global options to suggested commands, so that they reach the same host and answer in the same
 * language when run as printed. Formats such as --json are not added: a person may run the line that a script was
 * given, and a script chooses the format of each command. A line that repeats the typed command has all its options.
 */

import { QUOTED_WORD, shellWord } from '../domain/message/command-text.ts';
import { typedValue } from './parsing/words.ts';

/** Global flags with a value: host, wallet, language. Environment variables stay set, so they need no repetition. */
const PLACE_FLAGS = [
  '--profile',
  '--checkout-url',
  '--api-url',
  '--site-url',
  '--rpc-url',
  '--rpc-url-2',
  '--base-rpc-url',
  '--keypair',
  '--signer-command',
  '--passphrase-file',
  '--partner-id',
  '--lang',
] as const;

/** Commands that depend on the host, with the id that may follow. */
const PLACED =
  /\bscrip (?:track|pay|order|brands|catalog|price|show|search|validate|vias(?: coins)?|doctor(?: --repair)?|approvals(?: answer)?|orders (?:resume|show|reveal|recover)|sandbox pay|wallet (?:new|fund|balance|mark-play)|wizard --resume)(?![\w-])(?: (?:cr_[\w-]+|[0-9a-f]{8}-[0-9a-f-]{27}|<order_id>))?/;

const QUOTED_OR_PLACED = new RegExp(`(${QUOTED_WORD.source})|${PLACED.source}`, 'g');

/**
 * Returns the text with the typed flags added to each command in it, but one that the command names itself. Text in
 * quotes is not a command.
 * @param words of the command line
 */
export function inSamePlace(text: string, words: readonly string[]): string {
  const flags = text.includes('scrip ') ? placeFlags(words) : [];
  if (flags.length === 0) return text;
  return text.replace(QUOTED_OR_PLACED, (found, quoted: string | undefined, at: number) => {
    const after = text.slice(at + found.length);
    const added = flags.filter(([flag]) => !after.startsWith(` ${flag} `));
    return quoted === undefined ? [found, ...added.flat()].join(' ') : found;
  });
}

/** Returns the words without the flags that `inSamePlace` adds, and without their values. */
export function withoutPlace(words: readonly string[]): readonly string[] {
  const isPlace = (word: string | undefined) => PLACE_FLAGS.some((flag) => flag === word);
  return words.filter((word, at) => !isPlace(word.split('=')[0]) && !isPlace(words[at - 1]));
}

function placeFlags(words: readonly string[]): readonly (readonly [flag: string, value: string])[] {
  return PLACE_FLAGS.flatMap((flag) => {
    const value = typedValue(words, flag);
    return value === undefined || value === '' ? [] : [[flag, shellWord(value)] as const];
  });
}
