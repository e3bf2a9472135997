/** A shop with real parts: the service over a live chain, the operator's goods, rates and supplier. */

import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { ScripError } from '../domain/errors.ts';
import type { ServicePoint } from '../domain/fail-points.ts';
import { t } from '../domain/message.ts';
import { parseDecimal } from '../domain/money.ts';
import { checkAccount } from '../domain/phone.ts';
import type { SendWebhook } from '../domain/webhook-address.ts';
import { readFeePayer } from '../rails/facilitator-http.ts';
import type { Signer } from '../rails/rail.ts';
import { createAccountNews } from '../rails/solana/account-news.ts';
import { canReceiveUsdc } from '../rails/solana/open-account.ts';
import { createSolanaMerchant } from '../rails/solana/requirement.ts';
import { createService } from '../service/app.ts';
import { watchPorts } from '../service/fail-points.ts';
import { watchWrites } from '../service/health.ts';
import type { Market } from '../service/market.ts';
import { createRefundPayments } from '../service/refund-payments.ts';
import type { OpenService } from '../service/serving.ts';
import { createShopTransfers, type ShopTransfers } from '../service/shop-transfers.ts';
import { storeClock } from '../service/store-clock.ts';
import { databaseLabel } from '../store/open.ts';
import { claimsOf } from '../store/tables/claims.ts';
import { type Accounts, accountLimits, createAccounts } from './accounts.ts';
import { inBackground } from './background.ts';
import { takeCallback } from './callbacks.ts';
import { checkChain, checkLag, checkTreasury, keepChain } from './chain-checks.ts';
import { type OnSale, openGoods } from './goods.ts';
import { createShopMarket } from './market.ts';
import { createShopMetrics } from './metrics.ts';
import { type PartOptions, type ShopParts, shopParts } from './parts.ts';
import { createPaymentWakes } from './payment-wakes.ts';
import { openKey } from './secrets.ts';
import { type ChainParts, finalityOf, openFacilitators, openSponsorship } from './settling.ts';
import { createShopPolicy } from './shop-policy.ts';
import { type OpenedShopStore, openShopStore } from './shop-store.ts';
import { openWatch } from './watch.ts';

/** Seconds a payer has between the challenge and its payment, as x402 states it. */
const PAYMENT_WINDOW_SECONDS = 60;
const USDC_DECIMALS = 6;
const PERCENT_DECIMALS = 2;

export interface ShopOptions extends PartOptions {
  /** Address under which clients see the shop, without a trailing slash. */
  readonly baseUrl: string;
  readonly sendWebhook: SendWebhook;
  random(length: number): Uint8Array;
  /** Told of faults that no caller is told of. */
  report(error: unknown): void;
  /** Told at each fail point of a refund. */
  readonly failPoint?: ((name: ServicePoint) => void) | undefined;
}

export interface Shop extends OpenService {
  /** Address that pays network fees and rent. */
  readonly feePayer: string;
  /** Where the shop is kept: a file, or a server without user and password. */
  readonly database: string;
}

/** @throws {ScripError} what a part that cannot be used says; a chain that is away is reported alone */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const parts = shopParts(options);
  const opened = await openShopStore(parts);
  try {
    const clock = storeClock(opened.store, options.clock);
    return await openWith({ ...options, clock }, parts, opened);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function openWith(
  options: ShopOptions,
  parts: ShopParts,
  { store: opened, draw }: OpenedShopStore,
): Promise<Shop> {
  const { config, clock, random, report, baseUrl, failPoint } = options;
  const writes = watchWrites(opened, clock);
  const { store } = writes;
  const [rpc, witness, feePayer] = [parts.rpc(), parts.witness(), parts.feePayer()];
  const refundWallet = parts.refundWallet();
  for (const signer of [feePayer, refundWallet]) if (signer) await openKey(signer);
  const nodes = { rpc, witness };
  await unlessAway(report, async () => {
    await checkChain(nodes);
    await keepChain(store, rpc);
    await checkTreasury(rpc, config.chain.treasury);
  });
  const goods = await openGoods({ parts, store, clock, report });
  const chainParts = { config, store, clock, random, report, draw, feePayer, ...nodes };
  const transfers = createShopTransfers({ ...chainParts, claims: claimsOf(store) });
  const accounts = openAccounts(chainParts, transfers);
  const settling = openFacilitators(chainParts, parts.facilitator());
  const { own, facilitator } = settling;
  const market = createShopMarket();
  const payRefunds = openRefunds(chainParts, { failPoint, market, wallet: refundWallet });
  const wakes = createPaymentWakes({
    ...chainParts,
    most: config.chain.subscriptions,
    open: (onChange) => createAccountNews({ url: parts.websocket(), clock, report, onChange }),
  });
  const metrics = createShopMetrics({ ...chainParts, refundWallet });
  const service = createService({
    store,
    catalog: goods.catalog,
    rates: goods.rates,
    marginBps: Number(parseDecimal(config.margin_percent, PERCENT_DECIMALS)),
    supplier: metrics.around(parts.supplier(store, draw)),
    rail: createSolanaMerchant({
      network: SOLANA_MAINNET,
      mint: USDC_MINT,
      feePayer: () => readFeePayer(facilitator, SOLANA_MAINNET),
      maxTimeoutSeconds: PAYMENT_WINDOW_SECONDS,
      payTo: config.chain.treasury,
    }),
    facilitator,
    partner: {
      ...(config.name !== undefined && { shopName: config.name }),
      ...(config.website !== undefined && { website: config.website }),
      market,
      policy: createShopPolicy(config.limits),
      arePartnersOpen: config.partners.open,
      watch: openWatch(nodes, {
        ...finalityOf(config),
        store,
        since: accounts.baselineOf,
      }),
      sponsorship: openSponsorship(chainParts),
      canReceiveUsdc: (owner) => canReceiveUsdc(rpc, owner),
      paymentWindowMs: config.limits.payment_window_minutes * 60_000,
      wallets: {
        async allocate({ orderId, caller }) {
          await own.checkFunds();
          return accounts.lease(`order ${orderId}`, caller);
        },
      },
    },
    webhooks: { send: options.sendWebhook, key: draw('webhooks') },
    traffic: {},
    clock,
    random,
    voucherKey: draw('vouchers'),
    baseUrl,
    checkBeneficiary: checkAccount,
    report,
  });
  const token = parts.callbackToken();
  const upkeep = inBackground(
    [
      accounts.maintain,
      ...goods.upkeep,
      settling.watch,
      metrics.sample,
      wakes.hear,
      ...(payRefunds === undefined ? [] : [payRefunds]),
    ],
    report,
  );
  return {
    feePayer: feePayer.address,
    database: databaseLabel(parts.database().address),
    handle: async (request, caller) =>
      (await takeCallback({ store, clock, token }, request)) ?? service.fetch(request, caller),
    follow: (...asked) => service.follow?.(...asked),
    async tick() {
      upkeep.start();
      await service.tick();
    },
    checks: {
      database: writes.check,
      chain: () => checkLag(nodes, clock),
      goods: async () => requireSelling(goods.now()),
    },
    degraded: () => ({
      ...goods.now().degraded,
      ...settling.degraded(),
      accounts: accounts.shortage(),
    }),
    metrics: async () => [...(await metrics.lines()), ...accounts.lines(), ...wakes.lines()],
    settle: () => service.close(),
    async close() {
      await Promise.all([upkeep.drain(), wakes.close()]);
      await service.close();
      await store.close();
    },
  };
}

function requireSelling({ isSelling }: OnSale): void {
  if (!isSelling) throw new ScripError('MERCHANT_ERROR', t`Nothing in the catalog can be sold`);
}

function openAccounts(parts: ChainParts, transfers: ShopTransfers): Accounts {
  const { config } = parts;
  const { treasury } = config.chain;
  return createAccounts({ ...parts, treasury, transfers, limits: accountLimits(config) });
}

/** Undefined where the operator pays refunds: none is sent then. */
function openRefunds(
  { config, ...parts }: ChainParts,
  { wallet, market, failPoint }: RefundWallet,
): (() => Promise<void>) | undefined {
  if (config.refunds === undefined || wallet === undefined) return undefined;
  const { most_usdc, per_day_usdc, approve_above_usdc } = config.refunds;
  const watch = watchPorts(failPoint);
  const watched = { ...parts, store: watch.store(parts.store), rpc: watch.refundRpc(parts.rpc) };
  const claims = watch.refundClaims(claimsOf(parts.store));
  return createRefundPayments({
    ...watched,
    transfers: createShopTransfers({ ...watched, claims }),
    market,
    wallet,
    limits: {
      mostAtomic: parseDecimal(most_usdc, USDC_DECIMALS),
      perDayAtomic: parseDecimal(per_day_usdc, USDC_DECIMALS),
      approveAboveAtomic: parseDecimal(approve_above_usdc, USDC_DECIMALS),
    },
  });
}

interface RefundWallet {
  readonly market: Market;
  readonly wallet: Signer | undefined;
  readonly failPoint: ShopOptions['failPoint'];
}

/** Orders that are paid are delivered while the chain is away; another chain is refused. */
async function unlessAway(
  report: ShopOptions['report'],
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'CHAIN_UNREACHABLE') throw error;
    report(new ScripError(error.code, t`The shop starts without the chain: ${error.sentence}`));
  }
}
