/** The port for product data; the sandbox generates a catalog, an operator can supply one. */
import type { CatalogCountry } from '../domain/countries.ts';
import type { Brand, Product } from '../domain/product.ts';

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
