/** Searches brands by what people type: an index of names, built per catalog version and country. */
import { directRank, type NameKey, nameKey, typoRank } from '../../domain/product/catalog-query.ts';
import type { Brand } from '../../domain/product/product.ts';
import type { Catalog } from './catalog.ts';
import { createPopularity, type Popularity } from './popularity.ts';

export interface SearchIndex {
  /**
   * Returns the brands that match a text, best first: whole name, beginning, beginning of a word,
   * part of a word; if these are few, also names within one or two typos. Better known brands come
   * first among equals.
   * @param lang BCP 47 tag whose rules fold letters: in `tr`, `I` and `ı` are the same
   */
  search(text: string, lang?: string): Brand[];
}

interface Entry {
  readonly brand: Brand;
  readonly key: NameKey;
  readonly popularity: number;
}

interface Hit {
  readonly entry: Entry;
  readonly rank: number;
}

const MOST_FOUND = 30;
/** With this many direct matches, don't look for typos. */
const ENOUGH = 3;
/** Rank offset that puts typo matches after direct ones. */
const GUESS = 10;
/** Maximum number of names with shared trigrams that are compared letter by letter. */
const CANDIDATES = 150;

export function createSearchIndex(
  brands: readonly Brand[],
  popularity: Popularity = () => 0,
): SearchIndex {
  const entries = brands.map((brand) => ({
    brand,
    key: nameKey(brand.name),
    popularity: popularity(brand),
  }));
  const postings = indexTrigrams(entries);
  return {
    search: (text, lang) => {
      const query = nameKey(text.toLocaleLowerCase(lang));
      if (query.solid === '') return [];
      const at = (positions: readonly number[]) =>
        positions.flatMap((position) => entries[position] ?? []);
      const direct = hitsOf(at(holdersOf(postings, query)), ({ key }) => directRank(key, query));
      const guesses =
        direct.length >= ENOUGH ? [] : guess(at(nearest(postings, entries.length, query)), query);
      return rankedBrands([...direct, ...guesses]);
    },
  };
}

/** Creates the indexes of a catalog, each on first use of its country. */
export function createCatalogSearch(
  catalog: Catalog,
): (countryCode: string) => SearchIndex | undefined {
  const popularity = createPopularity(catalog);
  const indexes = new Map<string, SearchIndex>();
  let version = catalog.version;
  return (countryCode) => {
    if (version !== catalog.version) {
      indexes.clear();
      version = catalog.version;
    }
    const known = indexes.get(countryCode);
    if (known) return known;
    const brands = catalog.brands(countryCode);
    if (brands.length === 0) return undefined;
    const index = createSearchIndex(brands, popularity);
    indexes.set(countryCode, index);
    return index;
  };
}

function hitsOf(
  entries: readonly Entry[],
  rankOf: (entry: Entry) => number | undefined,
): readonly Hit[] {
  const hits: Hit[] = [];
  for (const entry of entries) {
    const rank = rankOf(entry);
    if (rank !== undefined) hits.push({ entry, rank });
  }
  return hits;
}

function guess(candidates: readonly Entry[], query: NameKey): readonly Hit[] {
  return hitsOf(candidates, ({ key }) => {
    const edits = typoRank(key, query);
    return edits === undefined || directRank(key, query) !== undefined ? undefined : GUESS + edits;
  });
}

function rankedBrands(hits: readonly Hit[]): Brand[] {
  return hits
    .toSorted(byQuality)
    .slice(0, MOST_FOUND)
    .map(({ entry }) => entry.brand);
}

function byQuality(one: Hit, other: Hit): number {
  return (
    one.rank - other.rank ||
    other.entry.popularity - one.entry.popularity ||
    one.entry.key.solid.length - other.entry.key.solid.length
  );
}

/** Positions of the entries that contain a trigram. */
type Postings = ReadonlyMap<string, readonly number[]>;

function indexTrigrams(entries: readonly Entry[]): Postings {
  const postings = new Map<string, number[]>();
  for (const [position, { key }] of entries.entries()) {
    for (const trigram of trigramsOf(key)) {
      const positions = postings.get(trigram);
      if (positions) positions.push(position);
      else postings.set(trigram, [position]);
    }
  }
  return postings;
}

/**
 * Returns the entries that may contain the query: those of its rarest trigram. One or two letters
 * are only searched at the beginning of words, since they occur in almost every name.
 */
function holdersOf(postings: Postings, { solid }: NameKey): readonly number[] {
  const trigrams = solid.length < 3 ? [`  ${solid}`.slice(-3)] : slide(solid);
  const lists = trigrams.map((trigram) => postings.get(trigram) ?? []);
  return lists.reduce((rarest, list) => (list.length < rarest.length ? list : rarest));
}

/** Returns the entries that share most trigrams with a query, up to CANDIDATES. */
function nearest(postings: Postings, size: number, query: NameKey): readonly number[] {
  const shared = new Uint16Array(size);
  const touched: number[] = [];
  for (const trigram of trigramsOf(query)) {
    for (const position of postings.get(trigram) ?? []) {
      const count = shared[position] ?? 0;
      if (count === 0) touched.push(position);
      shared[position] = count + 1;
    }
  }
  const floor = countOfLast(shared, touched);
  const above = touched.filter((position) => (shared[position] ?? 0) > floor);
  const level = touched.filter((position) => shared[position] === floor);
  return [...above, ...level].slice(0, CANDIDATES);
}

/** Returns how many trigrams the last candidate shares; sorting all entries would take longer. */
function countOfLast(shared: Uint16Array, touched: readonly number[]): number {
  const having: number[] = [];
  for (const position of touched) {
    const count = shared[position] ?? 0;
    having[count] = (having[count] ?? 0) + 1;
  }
  let taken = 0;
  for (let count = having.length - 1; count > 1; count -= 1) {
    taken += having[count] ?? 0;
    if (taken >= CANDIDATES) return count;
  }
  return 1;
}

/**
 * Trigrams of each word and of the joined words. Padding with spaces makes the first and last
 * letters count, which matters for short names with a typo in the middle.
 */
function trigramsOf({ words, solid }: NameKey): ReadonlySet<string> {
  return new Set([...words.split(' '), solid].flatMap((word) => slide(`  ${word} `)));
}

/** Returns all sequences of three characters. */
function slide(text: string): readonly string[] {
  return Array.from({ length: Math.max(text.length - 2, 0) }, (_, start) =>
    text.slice(start, start + 3),
  );
}
