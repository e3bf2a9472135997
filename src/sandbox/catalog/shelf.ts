/** A country's brands in order, each with its products; what any catalog answers from. */
import type { Brand, Product } from '../../domain/product.ts';
import type { Catalog } from '../../service/catalog.ts';

export interface Shelf {
  readonly brand: Brand;
  /** The brand's products, made when they are first asked for. */
  products(): readonly Product[];
}

interface Shelves extends Pick<Catalog, 'brands' | 'products'> {
  /** Shelves of a country by brand name; empty where nothing is sold. */
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

/** Answers of a catalog over shelves that are stocked, sorted and kept at first use. */
export function createShelves(stock: (countryCode: string) => readonly Shelf[]): Shelves {
  const stocked = new Map<string, readonly Shelf[]>();
  const of = (countryCode: string): readonly Shelf[] => {
    const known = stocked.get(countryCode);
    if (known) return known;
    const shelves = sorted(stock(countryCode));
    // Unknown codes come from outside; keeping them would let a caller fill the memory.
    if (shelves.length > 0) stocked.set(countryCode, shelves);
    return shelves;
  };
  return {
    of,
    brands: (countryCode) => of(countryCode).map(({ brand }) => brand),
    products: (countryCode, { brandName, family } = {}) =>
      of(countryCode)
        .filter(({ brand }) => brandName === undefined || brand.name === brandName)
        .filter(({ brand }) => family === undefined || isFamily(brand, family))
        .flatMap((shelf) => shelf.products()),
  };
}

/** Families are typed by people: letters count, their case does not. */
function isFamily(brand: Brand, family: string): boolean {
  return brand.family.toLowerCase() === family.toLowerCase();
}

/** By letters in any case; code units decide, so that every machine has the same order. */
function sorted(shelves: readonly Shelf[]): readonly Shelf[] {
  return shelves
    .map((shelf) => ({ shelf, letters: shelf.brand.name.toLowerCase() }))
    .sort((one, other) => (one.letters < other.letters ? -1 : 1))
    .map(({ shelf }) => shelf);
}
