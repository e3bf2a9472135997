/** Which products people mean by words: the same rules for commands, carts, agents and other programs. */

import { nameKey, searchBrands } from './catalog-query.ts';
import type { Atomic } from './money.ts';

interface Named {
  readonly name: string;
}

/** A product as it is compared with words. */
export interface Sold extends Named {
  readonly id: string;
  readonly brand: string;
  /** Face values that it is sold at, in 10^-6 of its currency; equal ones where there is one alone. */
  readonly values: { readonly min: Atomic; readonly max: Atomic } | undefined;
}

export interface Match<P> {
  readonly product: P;
  /** By its id, or by the whole name of its brand or its own; false for what is only like the words. */
  readonly isExact: boolean;
}

/**
 * The brands that words mean: those of exactly that name alone; else those that the words begin with, the
 * longest name first; else those found by a part of their name, or within a typo or two.
 */
export function brandsMeant<B extends Named>(brands: readonly B[], words: string): readonly B[] {
  const wanted = exactKey(words);
  if (wanted === '') return [];
  const exact = brands.filter(({ name }) => exactKey(name) === wanted);
  if (exact.length > 0) return exact;
  const begun = brands.filter(({ name }) => beginsWith(words, name));
  if (begun.length === 0) return searchBrands(brands, words);
  return begun.toSorted((one, other) => exactKey(other.name).length - exactKey(one.name).length);
}

/**
 * The products that words mean, best first: the one of exactly that id; those of exactly that name; else all
 * that are like the words, in the order they came in. With a value, what is sold at it alone, a
 * product of exactly that value before a range that it lies in.
 * @param products of the brands that the words mean
 */
export function productsMeant<P extends Sold>(
  products: readonly P[],
  words: string,
  value?: Atomic,
): readonly Match<P>[] {
  const id = words.trim().toLowerCase();
  const wanted = exactKey(words);
  const byId = products.filter((product) => product.id.toLowerCase() === id);
  const byName = products.filter((product) => keysOf(product).includes(wanted));
  const surest = [byId, byName].find(({ length }) => length > 0);
  const found = surest ?? products.filter((product) => isLike(product, words));
  return atValue(found, value).map((product) => ({
    product,
    isExact: surest !== undefined || exactKey(product.brand) === wanted,
  }));
}

/**
 * The one product that is meant for certain: by its id or its own name, or of exactly that brand the only
 * one; of several, the only one of a fixed value where a value was asked for. Undefined where a person
 * has to choose.
 */
export function onlyMeant<P extends Sold>(
  matches: readonly Match<P>[],
  { hasValue }: { readonly hasValue: boolean },
): P | undefined {
  const exact = matches.filter(({ isExact }) => isExact).map(({ product }) => product);
  const fixed = exact.filter(({ values }) => values !== undefined && values.min === values.max);
  const candidates = hasValue && fixed.length > 0 ? fixed : exact;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Case, punctuation, accents and a trailing `.com` do not tell names apart. */
function exactKey(name: string): string {
  return nameKey(withoutCom(name)).solid;
}

/** A product is mostly called by its brand and more. */
function keysOf({ brand, name }: Sold): readonly string[] {
  const short = `${withoutCom(brand)}${name.slice(brand.length)}`;
  return [exactKey(name), ...(name.startsWith(brand) ? [exactKey(short)] : [])];
}

function withoutCom(name: string): string {
  return name.trim().replace(/(?<=\S)\.com$/i, '');
}

/** Whether words are a name and more after it. */
function beginsWith(words: string, name: string): boolean {
  const begin = nameKey(withoutCom(name)).words;
  return begin !== '' && nameKey(words).words.startsWith(`${begin} `);
}

/** What follows the name of the brand is in the name of the product. */
function isLike({ brand, name }: Sold, words: string): boolean {
  if (!beginsWith(words, brand)) return true;
  const own = new Set(nameKey(name).words.split(' '));
  const rest = nameKey(words).words.slice(nameKey(withoutCom(brand)).words.length);
  return rest.split(' ').every((word) => word === '' || own.has(word));
}

function atValue<P extends Sold>(products: readonly P[], value: Atomic | undefined): readonly P[] {
  if (value === undefined) return products;
  const isFixed = ({ values }: Sold): boolean => values?.min === value && values.max === value;
  const isWithin = ({ values }: Sold): boolean =>
    values !== undefined && values.min <= value && value <= values.max;
  return [
    ...products.filter(isFixed),
    ...products.filter((product) => !isFixed(product) && isWithin(product)),
  ];
}
