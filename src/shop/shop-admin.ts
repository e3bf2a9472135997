/** The store of a shop, for its operator's commands; usable while servers use it. */

import { storeClock } from '../service/store-clock.ts';
import { createWebhookAdmin, type WebhookAdmin } from '../service/webhook-admin.ts';
import { type PartOptions, shopParts } from './parts.ts';
import { openShopStore } from './shop-store.ts';

export interface ShopAdmin {
  readonly webhooks: WebhookAdmin;
  close(): Promise<void>;
}

/** @throws {ScripError} STORE_UNUSABLE, also when the seed is another one's; INPUT_INVALID for a secret */
export async function openShopAdmin(options: PartOptions): Promise<ShopAdmin> {
  const { store } = await openShopStore(shopParts(options));
  const clock = storeClock(store, options.clock);
  return {
    webhooks: createWebhookAdmin(store, clock),
    close: () => store.close(),
  };
}
