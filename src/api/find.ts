/** Which products of a merchant people mean by words. */

import { ScripError } from '../domain/errors.ts';
import { FACE_DECIMALS, parseDecimal } from '../domain/money.ts';
import { brandsMeant, type Match, productsMeant } from '../domain/product-match.ts';
import type { CatalogReader, ListedBrand, ListedProduct, Section } from './catalog-reader.ts';

/** Where products are looked for, and how their prices are told. */
export type Place = Pick<Section, 'country' | 'coin' | 'language'>;

/** Brands that only look like the words: so many are asked for their products. */
const MOST_BRANDS = 5;

/**
 * The products that words mean in a country, best first; none where nothing is like them.
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
  const byId = await findById(catalog, { brands, words, place });
  return byId === undefined ? found : productsMeant([byId], words, at);
}

/** Ids have digits and no spaces. */
function mayBeId(words: string): boolean {
  return /^\S*\d\S*$/.test(words.trim());
}

/** An id tells neither brand nor family: the families are read one after the other until it is found. */
async function findById(
  catalog: CatalogReader,
  {
    brands,
    words,
    place,
  }: {
    readonly brands: readonly ListedBrand[];
    readonly words: string;
    readonly place: Place;
  },
): Promise<ListedProduct | undefined> {
  const id = words.trim().toLowerCase();
  for (const family of new Set(brands.map((brand) => brand.family))) {
    const products = await soldIn(catalog, { ...place, family });
    const found = products.find((product) => product.id.toLowerCase() === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Products of a section; a brand may be listed of which nothing is sold now. */
export async function soldIn(
  catalog: CatalogReader,
  section: Section,
): Promise<readonly ListedProduct[]> {
  try {
    return await catalog.products(section);
  } catch (error) {
    const { code } = error instanceof ScripError ? error : {};
    if (code === 'BRAND_UNKNOWN' || code === 'FAMILY_UNKNOWN') return [];
    throw error;
  }
}
