/** Finds the products of a merchant that a user's words mean. */

import { expected } from '../domain/attempt.ts';
import { FACE_DECIMALS, parseDecimal } from '../domain/money/money.ts';
import { brandsMeant, type Match, productsMeant } from '../domain/product/product-match.ts';
import type { CatalogReader, ListedBrand, ListedProduct, Section } from './catalog-reader.ts';

/** Country to search, and coin and language of the results. */
export type Place = Pick<Section, 'country' | 'coin' | 'language'>;

/** Maximum number of similar brands whose products are read. */
const MOST_BRANDS = 5;

/**
 * Finds the products that words mean in a country, best first; empty if none is similar.
 * @param wanted.words an id, a brand, or the name of a product
 * @param wanted.value face value as a decimal
 * @throws {ScripError} AMOUNT_INVALID, and the codes of a call
 */
export async function findProducts(
  catalog: CatalogReader,
  {
    words,
    value,
    ...place
  }: Place & { readonly words: string; readonly value?: string | undefined },
): Promise<readonly Match<ListedProduct>[]> {
  const at = value === undefined ? undefined : parseDecimal(value, FACE_DECIMALS);
  const brands = await catalog.brands(place.country);
  const lists = brandsMeant(brands, words)
    .slice(0, MOST_BRANDS)
    .map(({ name }) => soldIn(catalog, { ...place, brand: name }));
  const found = productsMeant((await Promise.all(lists)).flat(), words, at);
  if (found.some(({ isExact }) => isExact) || !mayBeId(words)) return found;
  const byId = await findById(catalog, words, brands, place);
  return byId === undefined ? found : productsMeant([byId], words, at);
}

/** Whether the words may be an id: ids have digits and no spaces. */
function mayBeId(words: string): boolean {
  return /^\S*\d\S*$/.test(words.trim());
}

/** Reads one family after another until the id is found: it shows neither brand nor family. */
async function findById(
  catalog: CatalogReader,
  words: string,
  brands: readonly ListedBrand[],
  place: Place,
): Promise<ListedProduct | undefined> {
  const id = words.trim().toLowerCase();
  for (const family of new Set(brands.map((brand) => brand.family))) {
    const products = await soldIn(catalog, { ...place, family });
    const found = products.find((product) => product.id.toLowerCase() === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the products of a section; empty also for a listed brand that sells nothing now. */
export function soldIn(
  catalog: CatalogReader,
  section: Section,
): Promise<readonly ListedProduct[]> {
  return catalog.products(section).catch(expected(() => [], 'BRAND_UNKNOWN', 'FAMILY_UNKNOWN'));
}
