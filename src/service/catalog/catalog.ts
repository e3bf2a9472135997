/** The port for product data; the sandbox generates a catalog, an operator can supply one. */

import type { CatalogCountry } from '../../domain/product/countries.ts';
import type { Brand, Product } from '../../domain/product/product.ts';

export interface Catalog {
  /** Changes with the content: caches are keyed on it. */
  readonly version: string;
  readonly countries: readonly CatalogCountry[];
  /** Brands of a country by name; empty where nothing is sold. */
  brands(countryCode: string): readonly Brand[];
  /** Products of a country: all, or those of one brand (exact name) or one family. */
  products(
    countryCode: string,
    filter?: { readonly brandName?: string; readonly family?: string },
  ): readonly Product[];
  product(productId: string): Product | undefined;
  /**
   * Names of a country's well-known brands, best known first, if the catalog knows them without
   * generating other countries. Otherwise popularity is the number of countries that have a brand.
   */
  popularBrandNames?(countryCode: string): readonly string[];
}

// A brand with its products; catalogs keep a sorted list of them per country.

export interface Shelf {
  readonly brand: Brand;
  /** The brand's products, made on first use. */
  products(): readonly Product[];
}

interface Shelves extends Pick<Catalog, 'brands' | 'products'> {
  /** A country's shelves by brand name; empty where nothing is sold. */
  of(countryCode: string): readonly Shelf[];
}

export function shelve(brand: Brand, make: () => readonly Product[]): Shelf {
  let made: readonly Product[] | undefined;
  return {
    brand,
    products: () => {
      made ??= make();
      return made;
    },
  };
}

/** Creates a catalog's lookups. A country's brands are loaded, sorted and cached on first use. */
export function createShelves(stock: (countryCode: string) => readonly Shelf[]): Shelves {
  const stocked = new Map<string, Stock>();
  const stockOf = (countryCode: string): Stock => {
    const known = stocked.get(countryCode);
    if (known) return known;
    const made = stockFrom(sorted(stock(countryCode)));
    // Don't keep unknown codes: they come from callers, who could fill the memory.
    if (made.shelves.length > 0) stocked.set(countryCode, made);
    return made;
  };
  const of = (countryCode: string) => stockOf(countryCode).shelves;
  return {
    of,
    brands: (countryCode) => of(countryCode).map(({ brand }) => brand),
    products: (countryCode, { brandName, family } = {}) =>
      (brandName === undefined
        ? of(countryCode)
        : (stockOf(countryCode).byName.get(brandName) ?? [])
      )
        .filter(({ brand }) => family === undefined || isFamily(brand, family))
        .flatMap((shelf) => shelf.products()),
  };
}

/** What a country sells. */
interface Stock {
  readonly shelves: readonly Shelf[];
  /** By exact name, which each line of an order asks for. */
  readonly byName: ReadonlyMap<string, readonly Shelf[]>;
}

function stockFrom(shelves: readonly Shelf[]): Stock {
  const byName = new Map<string, Shelf[]>();
  for (const shelf of shelves) {
    const { name } = shelf.brand;
    byName.set(name, [...(byName.get(name) ?? []), shelf]);
  }
  return { shelves, byName };
}

/** People type family names, so case is ignored. */
function isFamily(brand: Brand, family: string): boolean {
  return brand.family.toLowerCase() === family.toLowerCase();
}

/** Sorts by lowercase name, by code units, so every machine has the same order. */
function sorted(shelves: readonly Shelf[]): readonly Shelf[] {
  return shelves
    .map((shelf) => ({ shelf, letters: shelf.brand.name.toLowerCase() }))
    .sort((one, other) => (one.letters < other.letters ? -1 : 1))
    .map(({ shelf }) => shelf);
}
