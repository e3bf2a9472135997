/**
 * Finds the products that a user's words mean: the same rules for commands, carts, agents and the library.
 */

import type { Atomic } from '../money/money.ts';
import { clearlyMeant, nameKey, searchBrands } from './catalog-query.ts';

interface Named {
  readonly name: string;
}

/** A product, with what the words are compared to. */
export interface Sold extends Named {
  readonly id: string;
  readonly brand: string;
  /** Face values for sale, in 10^-6 of its currency; `min` equals `max` for a fixed product. */
  readonly values: { readonly min: Atomic; readonly max: Atomic } | undefined;
}

export interface Match<P> {
  readonly product: P;
  /** True for a match by id, or by the whole name of product or brand; false for a similar name. */
  readonly isExact: boolean;
}

/**
 * Finds the brands that words mean: those with exactly that name; otherwise those whose name the words begin
 * with, longest first; otherwise by part of the name or within a typo or two.
 */
export function brandsMeant<B extends Named>(brands: readonly B[], words: string): readonly B[] {
  const wanted = exactKey(words);
  if (wanted === '') return [];
  const exact = brands.filter(({ name }) => exactKey(name) === wanted);
  if (exact.length > 0) return exact;
  const begun = brands.filter(({ name }) => beginsWith(words, name));
  if (begun.length === 0) return clearlyMeant(searchBrands(brands, words), words);
  return begun.toSorted((one, other) => exactKey(other.name).length - exactKey(one.name).length);
}

/**
 * Finds the products that words mean, best first: the one with that id; otherwise those with that exact name;
 * otherwise all similar ones, in their order. With a value, keeps only products sold at it, fixed ones before
 * ranges.
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
 * Returns the only product meant for certain, or undefined when a person has to choose. Exact matches count;
 * if a value was given, one with that fixed value wins over ranges.
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

/** Ignores case, punctuation, accents and a trailing `.com`. */
function exactKey(name: string): string {
  return nameKey(withoutCom(name)).solid;
}

/** Names that identify a product: its full name, and the same without the brand's `.com`. */
function keysOf({ brand, name }: Sold): readonly string[] {
  const short = `${withoutCom(brand)}${name.slice(brand.length)}`;
  return [exactKey(name), ...(name.startsWith(brand) ? [exactKey(short)] : [])];
}

function withoutCom(name: string): string {
  return name.trim().replace(/(?<=\S)\.com$/i, '');
}

/** Whether the words are a name followed by more. */
function beginsWith(words: string, name: string): boolean {
  const begin = nameKey(withoutCom(name)).words;
  return begin !== '' && nameKey(words).words.startsWith(`${begin} `);
}

/** Whether all words after the brand's name occur in the product's name. */
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
