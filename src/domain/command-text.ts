/**
 * Texts that propose a command: hints, notes, receipts. People paste them and agents run them, so every
 * value in them is one word to a shell, even if it comes from a merchant, a file or a user.
 */

import { joined, Message, type Said, type Value, verbatim } from './message.ts';

/** A text of ours among the values of `commandText`. */
export interface OwnText {
  readonly own: Message;
}

/**
 * A template whose values are quoted where a shell would read more than one plain word in them.
 * `test/cli/command-texts.test.ts` runs all of them, and refuses texts with commands made otherwise.
 */
export function commandText(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | OwnText)[]
): Message {
  return new Message(parts, values.map(written));
}

function written(value: string | number | OwnText): Value {
  return typeof value === 'object' ? value.own : shellWord(String(value));
}

/** A text that is ours to the last character, or was made by `commandText`. */
export const ownText = (own: Said): OwnText => ({
  own: typeof own === 'string' ? verbatim(own) : own,
});

/** Values one after another, each of them quoted. */
export function wordList(values: readonly string[], between: Value = ', '): OwnText {
  return { own: joined(values.map(shellWord), between) };
}

/** No shell finds anything in these characters. A tilde would be a home, an equals sign a path to zsh. */
const BARE = /^[\w@+:,./-][\w@%+=:,./-]*$/;

/**
 * A word as sh, bash, zsh and fish read it back, quoted where it has to be. A backslash stands outside
 * of the quotes: within them it means nothing to sh, and to fish it does.
 */
export function shellWord(text: string): string {
  return BARE.test(text) ? text : `'${text.replace(/['\\]/g, "'\\$&'")}'`;
}

/** A word in quotes, as `shellWord` writes it. */
export const QUOTED_WORD = /'[^']*'(?:\\['\\]'[^']*')*/;
