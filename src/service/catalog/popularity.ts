/** How well known a brand is: by the catalog's list, or by the number of countries that have it. */
import type { Brand } from '../../domain/product/product.ts';
import type { Catalog } from './catalog.ts';

/** A higher number means better known; 0 for an unknown brand. */
export type Popularity = (brand: Brand) => number;

/** Counts on first use, and again when the catalog's version changes. */
export function createPopularity(catalog: Catalog): Popularity {
  const namesOf = catalog.popularBrandNames?.bind(catalog);
  if (namesOf) return createListed(namesOf);
  let counts: { readonly version: string; readonly of: ReadonlyMap<string, number> } | undefined;
  return ({ name }) => {
    if (counts?.version !== catalog.version) {
      counts = { version: catalog.version, of: countCountries(catalog) };
    }
    return counts.of.get(name) ?? 0;
  };
}

/** Returns the best known brands of a list, best first, without unknown ones. */
export function mostPopular(
  brands: readonly Brand[],
  popularity: Popularity,
  limit: number,
): readonly Brand[] {
  return brands
    .filter((brand) => popularity(brand) > 0 && !brand.isOutOfStock)
    .toSorted((one, other) => popularity(other) - popularity(one))
    .slice(0, limit);
}

function createListed(namesOf: (countryCode: string) => readonly string[]): Popularity {
  const ranks = new Map<string, ReadonlyMap<string, number>>();
  return ({ countryCode, name }) => {
    const known = ranks.get(countryCode) ?? rank(namesOf(countryCode));
    ranks.set(countryCode, known);
    return known.get(name) ?? 0;
  };
}

function rank(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, names.length - index]));
}

function countCountries(catalog: Catalog): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of catalog.countries) {
    for (const name of new Set(catalog.brands(code).map((brand) => brand.name))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
