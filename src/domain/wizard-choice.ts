/** Finds which of several names the user typed; if two fit, the user decides. */

import { directRank, nameKey, nearest } from './catalog-query.ts';
import { type Message, t } from './message.ts';
import { quoted, type WrongAnswer } from './wizard-step.ts';

const MOST_SUGGESTIONS = 5;
/** All choices are named where there are no more of them. */
const MOST_NAMED = 12;

interface ChoiceOptions {
  /** Whether the first words of a name are enough when no other name is similar. */
  readonly isShortTaken: boolean;
}

/** Returns the names that a text may mean: one is an answer, several need a choice, none is a mistake. */
export function namesMeant(
  names: readonly string[],
  text: string,
  { isShortTaken }: ChoiceOptions,
): readonly string[] {
  const distinct = [...new Set(names)];
  const wanted = text.trim().toLowerCase();
  const same = distinct.filter((name) => name.toLowerCase() === wanted);
  if (same.length > 0) return same;
  const query = nameKey(text);
  if (query.solid === '') return [];
  const keyed = distinct.map((name) => ({ name, key: nameKey(name) }));
  const equal = keyed.filter(({ key }) => key.solid === query.solid);
  if (equal.length > 0) return equal.map(({ name }) => name);
  const begun = keyed.filter(({ key }) => key.words.startsWith(`${query.words} `));
  if (!isShortTaken || begun.length === 0) return [];
  const alike = keyed.filter(({ key }) => directRank(key, query) !== undefined);
  return alike.map(({ name }) => name);
}

interface Mistake {
  readonly text: string;
  /** The kind of choice, such as `brand`. */
  readonly noun: Message;
  /** Where the names apply, such as ` in United States`; may be empty. */
  readonly place: Message;
  /** All valid choices. */
  readonly names: readonly string[];
  readonly meant: readonly string[];
}

/** Explains why a text is not a valid choice, and suggests the most similar names, or the first few. */
export function notOne({ text, noun, place, names, meant }: Mistake): WrongAnswer {
  if (meant.length > 1) {
    return {
      error: t`${quoted(text)} matches ${meant.length} of the choices${place}`,
      fix: t`Name the ${noun} in full.`,
      suggestions: meant.slice(0, MOST_SUGGESTIONS),
    };
  }
  const like = nearest(names, text, MOST_SUGGESTIONS);
  const isShort = names.length <= MOST_NAMED;
  const another = isShort
    ? t`Answer with one of these: ${names.join(', ')}.`
    : t`Answer with one of the suggestions, or with another ${noun}.`;
  return {
    error: t`${quoted(text)} matches no ${noun}${place}`,
    fix: names.length === 0 ? t`Send the action back and change the previous answer.` : another,
    suggestions: like.length > 0 ? like : names.slice(0, MOST_SUGGESTIONS),
  };
}
