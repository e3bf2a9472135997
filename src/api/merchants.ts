/** Opens merchants by name, or by a journaled purchase. */

import type { Intent } from '../domain/journal/journal.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { Merchant } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

export type MerchantName = 'checkout' | 'partner';

export async function openMerchant(deps: ScripDeps, name: MerchantName): Promise<Merchant> {
  return name === 'partner'
    ? (await import('./partner/merchant.ts')).partnerMerchant(deps)
    : (await import('./checkout/merchant.ts')).checkoutMerchant(deps);
}

/** Opens a merchant's catalog, without loading what its payments need. */
export async function openCatalog(deps: ScripDeps, name: MerchantName): Promise<CatalogReader> {
  return name === 'partner'
    ? (await import('./partner/partner-catalog.ts')).partnerCatalog(deps)
    : (await import('./checkout/checkout-catalog.ts')).checkoutCatalog(deps);
}

/** Returns the merchant of a journaled purchase; undefined when it was bought from another host. */
export async function sellerOf(deps: ScripDeps, intent: Intent): Promise<Merchant | undefined> {
  const merchants = await Promise.all([
    openMerchant(deps, 'checkout'),
    openMerchant(deps, 'partner'),
  ]);
  return merchants.find((merchant) => merchant.sells(intent));
}
