/** Finds brands by the text a user types. */

import { distance } from 'fastest-levenshtein';

interface Named {
  readonly name: string;
}

/** A name in the form used for comparison: lowercase letters and digits of any script, without accents. */
export interface NameKey {
  /** Words separated by single spaces. */
  readonly words: string;
  /** The same without spaces: "Play Station" finds "PlayStation". */
  readonly solid: string;
}

/** Ranks of a direct match; lower is better. */
const EXACT = 0;
const PREFIX = 1;
const WORD_PREFIX = 2;
const SUBSTRING = 3;

/**
 * Finds brands by text, best match first: exact, prefix, prefix of a word, substring; only if none of these
 * match, names with a few typos. Ties keep their order; an empty text matches all brands.
 */
export function searchBrands<B extends Named>(brands: readonly B[], text: string): readonly B[] {
  const query = nameKey(text);
  if (query.solid === '') return text.trim() === '' ? brands : [];
  const keyed = brands.map((brand) => ({ brand, key: nameKey(brand.name) }));
  const direct = ranked(keyed, ({ key }) => directRank(key, query));
  if (direct.length > 0) return direct.map(({ brand }) => brand);
  return ranked(keyed, ({ key }) => typoRank(key, query)).map(({ brand }) => brand);
}

/** Leaves out found brands that are twice as many typos away as the nearest. */
export function clearlyMeant<B extends Named>(found: readonly B[], text: string): readonly B[] {
  const query = nameKey(text);
  const rankOf = ({ name }: B): number => {
    const key = nameKey(name);
    return directRank(key, query) === undefined ? (typoRank(key, query) ?? 0) : 0;
  };
  const fewest = Math.min(...found.map(rankOf));
  return fewest === 0 ? found : found.filter((brand) => rankOf(brand) < 2 * fewest);
}

/** Returns the names most like a text, best first and without repeats, for "did you mean". */
export function nearest(names: readonly string[], text: string, limit: number): readonly string[] {
  const distinct = [...new Set(names)].map((name) => ({ name }));
  if (nameKey(text).solid === '') return [];
  return searchBrands(distinct, text)
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Returns the name that a mistyped word was meant to be; also for two letters that changed places. */
export function nearestWord(names: readonly string[], word: string): string | undefined {
  const lettersOf = (text: string): string => [...text.toLowerCase()].toSorted().join('');
  // A short word is one typo away from the beginning of many long names.
  const like = names.filter((name) => name.startsWith(word) || name.length - word.length <= 3);
  const [near] = nearest(like, word, 1);
  const begun = names.filter((name) => name[0] === word[0]);
  return (
    near ??
    begun.find((name) => lettersOf(name) === lettersOf(word)) ??
    begun.find((name) => distance(name, word.toLowerCase()) === 1)
  );
}

/**
 * Returns only the convincing ones of the nearest names. A short text is one typo away from many names, so a
 * weak match must also start with the same letter.
 */
export function likely(names: readonly string[], text: string, limit: number): readonly string[] {
  const query = nameKey(text);
  const isLikely = (name: string): boolean => {
    const key = nameKey(name);
    if (directRank(key, query) !== undefined) return true;
    const edits = typoRank(key, query) ?? query.solid.length;
    const begins = key.words.split(' ').some((word) => word[0] === query.solid[0]);
    return begins || edits * 4 <= query.solid.length;
  };
  return nearest(names, text, names.length).filter(isLikely).slice(0, limit);
}

/** Filters brands by category slug. */
export function inCategory<B extends { readonly category: string }>(
  brands: readonly B[],
  category: string,
): readonly B[] {
  return brands.filter((brand) => brand.category === category);
}

export function nameKey(name: string): NameKey {
  const lower = name.toLowerCase();
  // Most names are ASCII; skipping normalization for them speeds up a scan.
  const plain = /^[\x20-\x7e]*$/.test(lower)
    ? lower
    : lower.normalize('NFKD').replace(/\p{Mn}/gu, '');
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return { words, solid: words.replaceAll(' ', '') };
}

/** Rates how well a name contains the typed text, lower is better; undefined when it does not. */
export function directRank(key: NameKey, query: NameKey): number | undefined {
  if (key.solid === query.solid) return EXACT;
  if (key.solid.startsWith(query.solid)) return PREFIX;
  if (` ${key.words}`.includes(` ${query.words}`)) return WORD_PREFIX;
  return key.solid.includes(query.solid) ? SUBSTRING : undefined;
}

/**
 * Rates how far a name is from the typed text: edits to the name, its beginning or one of its words, or
 * letters left out as in `amzn`; undefined when it is too far.
 */
export function typoRank(key: NameKey, query: NameKey): number | undefined {
  const ranks = [editRank(key, query), shorthandRank(key, query)];
  const known = ranks.filter((rank) => rank !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Ours: ranks of a shorthand, equal to one edit and to three. */
const WITHOUT_VOWELS = 1;
const WITH_GAPS = 3;

/**
 * Matches shorthands: `amzn` leaves out only vowels; with four or more letters, consonants may be missing
 * too, as in `nflx`.
 */
function shorthandRank({ solid }: NameKey, { solid: typed }: NameKey): number | undefined {
  if (typed.length < 3 || typed.length > 12 || typed[0] !== solid[0]) return undefined;
  let at = 0;
  let isVowelsAlone = true;
  for (const letter of typed) {
    const next = solid.indexOf(letter, at);
    if (next === -1 || next >= typed.length * 2) return undefined;
    if (/[^aeiouy]/.test(solid.slice(at, next))) isVowelsAlone = false;
    at = next + 1;
  }
  if (isVowelsAlone) return WITHOUT_VOWELS;
  return typed.length > 3 ? WITH_GAPS : undefined;
}

function editRank(key: NameKey, query: NameKey): number | undefined {
  const { length } = query.solid;
  const allowed = allowedTypos(length);
  const targets = [key.solid, key.solid.slice(0, length), ...key.words.split(' ')];
  const edits = targets
    .filter((target) => Math.abs(target.length - length) <= allowed)
    .map((target) => distance(target, query.solid));
  const fewest = Math.min(...edits);
  return fewest <= allowed ? fewest : undefined;
}

/** Ours: allowed edits are none up to two letters, one up to four, two up to eight, then three. */
function allowedTypos(length: number): number {
  if (length <= 2) return 0;
  if (length <= 4) return 1;
  return length <= 8 ? 2 : 3;
}

function ranked<T>(items: readonly T[], rankOf: (item: T) => number | undefined): readonly T[] {
  return items
    .flatMap((item) => {
      const rank = rankOf(item);
      return rank === undefined ? [] : [{ item, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
