/** Filters, sorts and limits a list. */

import type { Atomic } from '../money/money.ts';
import type { ProductKind } from './product.ts';

/** The properties that a record is filtered and sorted by. */
export interface Facets {
  readonly name: string;
  readonly category: string;
  /** Undefined when unknown. */
  readonly kind: ProductKind | undefined;
  /** Face values for sale, in 10^-6 of their currency; undefined when unknown. */
  readonly values: { readonly min: Atomic; readonly max: Atomic } | undefined;
}

export const SORTS = ['name', 'category', 'min', 'max'] as const;
export type Sort = (typeof SORTS)[number];

export interface Listing {
  readonly kind?: ProductKind | undefined;
  /** Keeps records sold at a face value of at least `min` and at most `max`. */
  readonly min?: Atomic | undefined;
  readonly max?: Atomic | undefined;
  readonly sort?: Sort | undefined;
  readonly isReversed?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Returns the matching records in the requested order, and their number before the limit. */
export function listed<T>(
  records: readonly T[],
  facetsOf: (record: T) => Facets,
  listing: Listing,
): { readonly records: readonly T[]; readonly total: number } {
  const { sort, isReversed = false, limit } = listing;
  const fitting = isFiltered(listing)
    ? records.filter((record) => fits(facetsOf(record), listing))
    : records;
  const ordered = sort === undefined ? fitting : sorted(fitting, facetsOf, sort);
  const turned = isReversed ? ordered.toReversed() : ordered;
  return { records: limit === undefined ? turned : turned.slice(0, limit), total: turned.length };
}

/** Whether any filter is set; computing the facets of a long list is slow. */
function isFiltered({ kind, min, max }: Listing): boolean {
  return kind !== undefined || min !== undefined || max !== undefined;
}

function sorted<T>(
  records: readonly T[],
  facetsOf: (record: T) => Facets,
  sort: Sort,
): readonly T[] {
  return records
    .map((record) => ({ record, facets: facetsOf(record) }))
    .toSorted(orderOf(sort))
    .map(({ record }) => record);
}

function fits({ kind, values }: Facets, listing: Listing): boolean {
  if (listing.kind !== undefined && kind !== listing.kind) return false;
  const { min, max } = listing;
  if (min === undefined && max === undefined) return true;
  if (values === undefined) return false;
  return (min === undefined || values.max >= min) && (max === undefined || values.min <= max);
}

type Ranked = { readonly facets: Facets };

function orderOf(sort: Sort): (one: Ranked, other: Ranked) => number {
  if (sort === 'min' || sort === 'max') {
    return (one, other) => compareValues(one.facets.values?.[sort], other.facets.values?.[sort]);
  }
  // Ignores case and accents, and gives the same order on every machine.
  const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return (one, other) => compare(one.facets[sort], other.facets[sort]);
}

/** Puts records without a value last. */
function compareValues(one: Atomic | undefined, other: Atomic | undefined): number {
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  return Number(one > other) - Number(one < other);
}
