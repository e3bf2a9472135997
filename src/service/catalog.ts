/** The port for product data; the sandbox generates a catalog, an operator can supply one. */
import type { Brand, Product } from '../domain/product.ts';

export interface CatalogCountry {
  /** Lowercase ISO 3166-1 alpha-2, or `xk`. */
  readonly code: string;
  /** English short name. */
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Whether the checkout host sells there; the other countries are only on the site's list. */
  readonly isSold: boolean;
}

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
