/** Finds short words for ordering a product again. */

import type { CatalogReader } from '../../api/catalog-reader.ts';
import { findProducts } from '../../api/find.ts';
import { ScripError } from '../../domain/errors.ts';
import { onlyMeant } from '../../domain/product-match.ts';

export interface NamedByWords {
  readonly productId: string;
  readonly brand?: string | undefined;
  /** The country's code. */
  readonly country: string;
  /** Face value as a decimal. */
  readonly value: string | undefined;
}

/**
 * Returns the shortest form of the brand's name that, with the value, means only this product; otherwise the
 * id.
 */
export async function shortestWords(
  catalog: CatalogReader,
  { productId, brand, country, value }: NamedByWords,
): Promise<string> {
  if (brand === undefined) return productId;
  const short = brand.replace(/(?<=\S)\.com$/i, '').toLowerCase();
  for (const words of new Set([short, brand])) {
    const found = await findProducts(catalog, { words, value, country });
    const meant = onlyMeant(found, { hasValue: value !== undefined });
    if (meant?.id === productId) return words;
  }
  return productId;
}

/** The same; returns the id if the lists cannot be read. */
export async function wordsOrId(catalog: CatalogReader, named: NamedByWords): Promise<string> {
  try {
    return await shortestWords(catalog, named);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return named.productId;
  }
}
