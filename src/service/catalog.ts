/** Where the service's goods are described; the sandbox generates one, an operator brings one. */
import type { Brand, Product } from '../domain/product.ts';

export interface CatalogCountry {
  /** Lowercase ISO 3166-1 alpha-2, or `xk`. */
  readonly code: string;
  /** English short name. */
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Whether the checkout host sells there; the others are on the site's list alone. */
  readonly isSold: boolean;
}

export interface Catalog {
  /** Changes when the content does: caches are keyed on it. */
  readonly version: string;
  readonly countries: readonly CatalogCountry[];
  /** Brands of a country by name; empty where nothing is sold. */
  brands(countryCode: string): readonly Brand[];
  /** Products of a country, all or those of one brand (exact name) or one family. */
  products(
    countryCode: string,
    filter?: { readonly brandName?: string; readonly family?: string },
  ): readonly Product[];
  product(productId: string): Product | undefined;
  /**
   * Names of the well-known brands of a country, best known first, for a catalog that can tell
   * without making all its countries; without it they are told by how many countries have them.
   */
  popularBrandNames?(countryCode: string): readonly string[];
}
