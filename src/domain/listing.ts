/** What of a list is shown: filters, order and how many. */
import type { Atomic } from './money.ts';
import type { ProductKind } from './product.ts';

/** What a record is filtered and sorted by. */
export interface Facets {
  readonly name: string;
  readonly category: string;
  /** Undefined where it is not known. */
  readonly kind: ProductKind | undefined;
  /** Face values that it is sold at, in 10^-6 of its currency; undefined where none is told. */
  readonly values: { readonly min: Atomic; readonly max: Atomic } | undefined;
}

export const SORTS = ['name', 'category', 'min', 'max'] as const;
export type Sort = (typeof SORTS)[number];

export interface Listing {
  readonly kind?: ProductKind;
  /** Sold at a face value of at least, and at most, this. */
  readonly min?: Atomic;
  readonly max?: Atomic;
  readonly sort?: Sort;
  readonly isReversed?: boolean;
  readonly limit?: number;
}

/** Those that fit, in the order asked for, and how many they are before the limit. */
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

/** Whether anything is left out for what it is; facets of long lists are costly to read. */
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
  // Without regard to case or accents, the same on every machine.
  const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return (one, other) => compare(one.facets[sort], other.facets[sort]);
}

/** What has no value comes last. */
function compareValues(one: Atomic | undefined, other: Atomic | undefined): number {
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  return Number(one > other) - Number(one < other);
}
