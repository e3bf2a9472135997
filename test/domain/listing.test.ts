import { describe, expect, it } from 'vitest';
import { atomic } from '../../src/domain/money/money.ts';
import { type Facets, type Listing, listed } from '../../src/domain/product/listing.ts';

const brand = (name: string, kind: Facets['kind'], min?: bigint, max = min): Facets => ({
  name,
  category: kind === 'esim' ? 'e-sim' : 'games',
  kind,
  values:
    min === undefined || max === undefined ? undefined : { min: atomic(min), max: atomic(max) },
});
const ALL = [
  brand('Steam', 'giftcard', 5n, 100n),
  brand('école', 'giftcard', 20n),
  brand('Roam', 'esim', 7n, 63n),
  brand('Echo 10', 'giftcard'),
  brand('Echo 9', 'giftcard', 1n, 4n),
];

const names = (listing: Listing): readonly string[] =>
  listed(ALL, (one) => one, listing).records.map(({ name }) => name);

describe('a listing', () => {
  it.each<[string, Listing, readonly string[]]>([
    ['keeps the order it was given', {}, ['Steam', 'école', 'Roam', 'Echo 10', 'Echo 9']],
    ['of a kind', { kind: 'esim' }, ['Roam']],
    ['from a value on', { min: atomic(64n) }, ['Steam']],
    ['up to a value', { max: atomic(5n) }, ['Steam', 'Echo 9']],
    ['between two values', { min: atomic(10n), max: atomic(20n) }, ['Steam', 'école', 'Roam']],
    ['by name, as people sort', { sort: 'name' }, ['Echo 9', 'Echo 10', 'école', 'Roam', 'Steam']],
    ['by minimum, unknown last', { sort: 'min' }, ['Echo 9', 'Steam', 'Roam', 'école', 'Echo 10']],
    ['reversed', { sort: 'max', isReversed: true, limit: 2 }, ['Echo 10', 'Steam']],
  ])('%s', (_what, listing, expected) => {
    expect(names(listing)).toEqual(expected);
  });

  it('tells how many there are before the limit', () => {
    expect(listed(ALL, (one) => one, { kind: 'giftcard', limit: 2 })).toMatchObject({ total: 4 });
  });
});
