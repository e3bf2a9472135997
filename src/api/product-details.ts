/** What is said of a product before it is bought, read beside other things: it holds nothing up. */

import { NOTHING_SAID, type PriceQuestion, type ProductDetails } from './catalog-reader.ts';
import { withDeadline } from './http/deadline.ts';
import { openCatalog } from './merchants.ts';
import type { ScripDeps } from './scrip.ts';

export type DetailedProduct = Pick<PriceQuestion, 'productId' | 'country' | 'brand'>;

/** Ours: for so long it is read beside a price. What is bought never waits longer for what it is. */
export const BESIDE_PRICE_MS = 1_500;

/**
 * The partner API alone has details; products have the same id there as at the checkout host. Nothing
 * is said of a product that it does not know, or not within `withinMs`. Never fails.
 */
export async function readDetails(
  deps: ScripDeps,
  product: DetailedProduct,
  withinMs: number,
): Promise<ProductDetails> {
  try {
    return await withDeadline(withinMs, deps.signal, async (signal) => {
      const catalog = await openCatalog({ ...deps, signal }, 'partner');
      return catalog.details(product);
    });
  } catch {
    return NOTHING_SAID;
  }
}
