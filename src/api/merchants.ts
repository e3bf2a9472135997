/** The merchants of a place. */

import type { Intent } from '../domain/journal.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { Merchant } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

export type MerchantName = 'checkout' | 'partner';

export async function openMerchant(deps: ScripDeps, name: MerchantName): Promise<Merchant> {
  return name === 'partner'
    ? (await import('./partner/merchant.ts')).partnerMerchant(deps)
    : (await import('./checkout/merchant.ts')).checkoutMerchant(deps);
}

/** What a merchant sells, without the parts that its payments are made with. */
export async function openCatalog(deps: ScripDeps, name: MerchantName): Promise<CatalogReader> {
  return name === 'partner'
    ? (await import('./partner/partner-catalog.ts')).partnerCatalog(deps)
    : (await import('./checkout/checkout-catalog.ts')).checkoutCatalog(deps);
}

/** The merchant of a journaled purchase; undefined when it was bought from another host. */
export async function sellerOf(deps: ScripDeps, intent: Intent): Promise<Merchant | undefined> {
  const merchants = await Promise.all([
    openMerchant(deps, 'checkout'),
    openMerchant(deps, 'partner'),
  ]);
  return merchants.find((merchant) => merchant.sells(intent));
}
