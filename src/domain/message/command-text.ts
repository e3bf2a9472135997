/**
 * Texts that propose a command: hints, notes, receipts. People paste them and agents run them, so each value
 * is quoted as one shell word, also when it comes from a merchant, a file or a user.
 */

import { joined, Message, type Said, t, type Value, verbatim } from './message.ts';

/** A text of our own among the values of `commandText`; it is not quoted. */
export interface OwnText {
  readonly own: Message;
}

/**
 * Template tag that quotes each value unless a shell reads it as one plain word.
 * `test/cli/command-texts.test.ts` runs all these texts, and fails on commands written without this tag.
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

/** Marks a text as our own: one without foreign values, or one made by `commandText`. */
export const ownText = (own: Said): OwnText => ({
  own: typeof own === 'string' ? verbatim(own) : own,
});

/** Quotes each value and joins them. */
export function wordList(values: readonly string[], between: Value = ', '): OwnText {
  return { own: joined(values.map(shellWord), between) };
}

/** Characters without a meaning to any shell. A leading ~ would be a home folder; zsh expands a leading =. */
const BARE = /^[\w@+:,./-][\w@%+=:,./-]*$/;

/**
 * Quotes a word, where needed, so that sh, bash, zsh and fish all read it back unchanged. Within single quotes fish,
 * unlike sh, interprets a backslash before another one or before a quote: that one goes outside. Other backslashes
 * stay, so that PowerShell reads a path too.
 */
export function shellWord(text: string): string {
  return BARE.test(text) ? text : `'${text.replace(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`;
}

/** Matches a quoted word, as `shellWord` writes it. */
export const QUOTED_WORD = /'[^']*'(?:\\['\\]'[^']*')*/;

/** Proposes the names that are near; without any, says something else. */
export function meantText(near: readonly string[], otherwise: Message): Message {
  return near.length === 0 ? otherwise : commandText`Did you mean ${wordList(near, t` or `)}?`;
}
