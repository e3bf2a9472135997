/** The store of a shop, for its operator's commands; usable while servers use it. */

import { BASE, SOLANA_MAINNET, USDC_MINT } from '../contract/usdc.ts';
import type { AlarmPorts } from '../domain/operator/alarms.ts';
import type { ShopAdmin } from '../domain/operator/operator.ts';
import { createSolanaShopRail } from '../rails/solana/shop-rail.ts';
import { createVoucherVault } from '../service/delivery/vouchers.ts';
import { createOperatorLog } from '../service/operator/operator-log.ts';
import { createOrderDesk } from '../service/operator/order-desk.ts';
import { listOrders } from '../service/operator/order-search.ts';
import { createPartnerAdmin } from '../service/operator/partner-admin.ts';
import { createPersonAdmin } from '../service/operator/persons.ts';
import { createRefundAdmin, type SendsOn } from '../service/refunds/refund-admin.ts';
import { storeClock } from '../service/store-clock.ts';
import { createWebhookKeys } from '../service/webhooks/webhook-signature.ts';
import { createWebhookAdmin } from '../service/webhooks/webhooks.ts';
import { ownerAt } from './accounts.ts';
import { listAlarms, tryWays, waysOf } from './alarms.ts';
import { auditShop, spareIn } from './books.ts';
import type { ShopPlace } from './books-money.ts';
import { checkCatalog, createCatalogVersions } from './catalog.ts';
import { basePlaces, type PartOptions, shopParts } from './parts.ts';
import { recordSales, saleLinesOf, salesOf } from './sales.ts';
import { openBegunShop, openShopStore } from './shop-store.ts';

export interface ShopAdminOptions extends PartOptions {
  /** Who acts, for the log. */
  readonly who: string;
  /** Why, for the log. */
  readonly reason?: string | undefined;
  /** Whether it begins the shop where there is none; refuses by default. */
  readonly begins?: boolean | undefined;
  readonly alarmPorts: AlarmPorts;
  random(length: number): Uint8Array;
}

/** @throws {ScripError} STORE_UNUSABLE, also when the seed is another one's; INPUT_INVALID for a secret, or without a shop */
export async function openShopAdmin(options: ShopAdminOptions): Promise<ShopAdmin> {
  const parts = shopParts(options);
  const { store, draw } = await (options.begins ? openShopStore : openBegunShop)(parts);
  const { who, reason, random } = options;
  const deps = { store, random, who, reason, clock: storeClock(store, options.clock) };
  const log = createOperatorLog(deps);
  const { treasury } = options.config.chain;
  const { refunds } = options.config;
  const sending = [refunds && SOLANA_MAINNET, refunds?.base_wallet && BASE];
  const sendsOn: SendsOn = (network) => network !== undefined && sending.includes(network);
  const webhookKeys = createWebhookKeys(draw('webhooks'));
  const ownerOf = (position: number) => ownerAt(draw, position).address;
  const solana = () =>
    createSolanaShopRail({
      ...{ network: SOLANA_MAINNET, mint: USDC_MINT, random, clock: options.clock },
      ...{ rpc: parts.rpc(), witness: parts.witness(), claims: store.tables.claims },
      feePayer: parts.feePayer,
    });
  const base = async (): Promise<readonly ShopPlace[]> => {
    const places = basePlaces(options.config);
    if (places === undefined) return [];
    const { basePlace } = await import('./base.ts');
    return [await basePlace(options, places, { store, random, draw })];
  };
  return {
    webhooks: createWebhookAdmin(store, deps.clock),
    partners: createPartnerAdmin({ ...deps, webhookKeys }),
    refunds: createRefundAdmin({
      ...deps,
      rails: async () => [solana(), ...(await base()).map(({ rail }) => rail)],
      async spareIn(transaction, rail) {
        const place = (await base()).find((one) => one.rail.network === rail.network);
        return spareIn(store, place ?? { rail, treasury, ownerAt: ownerOf }, transaction);
      },
      sendsOn,
    }),
    persons: createPersonAdmin({
      ...{ store, clock: deps.clock, key: draw('persons') },
      vault: createVoucherVault(draw('vouchers'), random),
    }),
    log,
    catalog: createCatalogVersions(deps),
    desk: createOrderDesk({ ...deps, log, sendsOn }),
    codeDigest: (code) => createVoucherVault(draw('vouchers'), random).digest(code),
    orders: (asked) => listOrders(store, asked),
    alarms: () => listAlarms(store.tables, deps.clock.now()),
    async testAlarms() {
      const ways = waysOf(parts.alarms(), { ...options.alarmPorts, now: deps.clock.now });
      return tryWays(ways, deps.clock.now());
    },
    stock: async () =>
      parts.stock(checkCatalog(await parts.catalogSource().read()), store.tables, draw),
    async sales(asked) {
      await recordSales(store, 0);
      return salesOf(store, asked);
    },
    async saleLines(period) {
      await recordSales(store, 0);
      return saleLinesOf(store, period);
    },
    async books(sinceMs) {
      return auditShop({
        store,
        supplierLedger: (tables) => parts.supplierLedger(tables, draw),
        places: [
          {
            ...{ rail: solana(), treasury, ownerAt: ownerOf },
            refundWallet: parts.refundWallet()?.address,
            feePayer: parts.feePayer().address,
          },
          ...(await base()),
        ],
        ...{ sinceMs, nowMs: deps.clock.now() },
      });
    },
    close: () => store.close(),
  };
}
