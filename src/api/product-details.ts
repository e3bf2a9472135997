/**
 * Reads a product's description before purchase, in parallel to other requests, so that nothing waits for it.
 */

import { NOTHING_SAID, type PriceQuestion, type ProductDetails } from './catalog-reader.ts';
import { withDeadline } from './http/deadline.ts';
import { openCatalog } from './merchants.ts';
import type { ScripDeps } from './scrip.ts';

export type DetailedProduct = Pick<PriceQuestion, 'productId' | 'country' | 'brand'>;

/** Ours: time limit beside a price request, so that a purchase never waits longer for a description. */
export const BESIDE_PRICE_MS = 1_500;

/**
 * Reads from the partner API, the only one with details; product ids are the same at the checkout host.
 * Returns nothing for an unknown product or after `withinMs`. Never fails.
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
