/** What a product is called in a line that orders it again. */

import type { CatalogReader } from '../../api/catalog-reader.ts';
import { findProducts } from '../../api/find.ts';
import { ScripError } from '../../domain/errors.ts';
import { onlyMeant } from '../../domain/product-match.ts';

export interface NamedByWords {
  readonly productId: string;
  readonly brand?: string | undefined;
  /** Its code. */
  readonly country: string;
  /** Face value as a decimal. */
  readonly value: string | undefined;
}

/** The shortest words that mean this product alone, with its value: of its brand; else its id. */
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

/** The same; where the lists cannot be read, its id. */
export async function wordsOrId(catalog: CatalogReader, named: NamedByWords): Promise<string> {
  try {
    return await shortestWords(catalog, named);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return named.productId;
  }
}
