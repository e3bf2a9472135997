/** A shop with real parts: the service over a live chain, the operator's goods, rates and supplier. */

import { MAX_DELIVERIES_PER_ORDER } from '../contract/partner-orders.ts';
import { BASE } from '../contract/usdc.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import type { SendWebhook } from '../domain/address/webhook-address.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServicePoint } from '../domain/journal/fail-points.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import type { Coin } from '../domain/money/coin.ts';
import { COINS, caip2Of } from '../domain/money/coins.ts';
import { FACE_DECIMALS, parseDecimal } from '../domain/money/money.ts';
import type { AlarmLimits, AlarmPorts } from '../domain/operator/alarms.ts';
import { checkAccount } from '../domain/product/phone.ts';
import { isSameText } from '../domain/secret-word.ts';
import { readFeePayer } from '../rails/facilitator-http.ts';
import {
  type Facilitator,
  type PaymentWatch,
  routedWatch,
  type ShopRail,
} from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { createAccountNews } from '../rails/solana/account-news.ts';
import { createSolanaMerchant } from '../rails/solana/requirement.ts';
import type { Market } from '../service/catalog/market.ts';
import { watchPorts } from '../service/fail-points.ts';
import { createService } from '../service/http/app.ts';
import { readiness, watchWrites } from '../service/http/health.ts';
import type { OpenService } from '../service/http/serving.ts';
import { createRetention } from '../service/operator/persons.ts';
import type { PartnerPolicy } from '../service/partner/rules/order-context.ts';
import { createRefundPayments } from '../service/refunds/refund-payments.ts';
import { createShopTransfers } from '../service/refunds/shop-transfers.ts';
import { storeClock } from '../service/store-clock.ts';
import { databaseLabel } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import {
  type Accounts,
  accountLimits,
  accountLines,
  createAccounts,
  createMaintenance,
  solanaReceiving,
} from './accounts.ts';
import { createAlarms, logWay, waysOf } from './alarms.ts';
import type { OpenBase } from './base.ts';
import { openGoods } from './goods.ts';
import { createShopMetrics } from './metrics.ts';
import { checkChain, checkLag, checkTreasury, keepChain, openWatch } from './nodes.ts';
import { basePlaces, type PartOptions, type ShopParts, shopParts } from './parts.ts';
import { createPaymentWakes } from './payment-wakes.ts';
import { createBookkeeping } from './sales.ts';
import { openKey } from './secrets.ts';
import {
  type ChainParts,
  finalityOf,
  openFacilitators,
  openShopRail,
  openSponsorship,
} from './settling.ts';
import type { ShopConfig } from './shop-config.ts';
import { type OpenedShopStore, openShopStore } from './shop-store.ts';

/** Seconds a payer has between the challenge and its payment, as x402 states it. */
const PAYMENT_WINDOW_SECONDS = 60;
const USDC_DECIMALS = 6;
const PERCENT_DECIMALS = 2;

export interface ShopOptions extends PartOptions {
  /** Address under which clients see the shop, without a trailing slash. */
  readonly baseUrl: string;
  readonly sendWebhook: SendWebhook;
  random(length: number): Uint8Array;
  readonly alarmPorts: AlarmPorts;
  /** Told of faults that no caller is told of. */
  report(error: unknown): void;
  /** Told at each fail point of a refund. */
  readonly failPoint?: ((name: ServicePoint) => void) | undefined;
}

export interface Shop extends OpenService {
  /** Address that pays network fees and rent. */
  readonly feePayer: string;
  /** Its accounts on Base; undefined where it takes no payments there. */
  readonly base: Pick<OpenBase, 'feeAccount' | 'treasury'> | undefined;
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
  const rail = openShopRail(chainParts);
  const settling = openFacilitators(chainParts, parts.facilitator());
  const { own, facilitator } = settling;
  const base = await baseOf(options, chainParts);
  const shopRails = [rail, ...(base ? [base.shopRail()] : [])];
  const receiving = openReceiving(chainParts, { rail, own, base });
  const payRefunds = openRefunds(chainParts, { refundWallet, base, failPoint });
  const wakes = createPaymentWakes({
    ...chainParts,
    most: config.chain.subscriptions,
    open: (onChange) => createAccountNews({ ...parts.websocket(), clock, report, onChange }),
  });
  const publicUrl = config.listen.public_url ?? '';
  const metrics = createShopMetrics({
    ...{ store, clock },
    ...(publicUrl.startsWith('https:') && {
      certificateEndsAtMs: () => options.alarmPorts.certificateEndsAtMs(publicUrl, clock.now()),
    }),
    places: [
      { rail, refundWallet: refundWallet?.address },
      ...(base ? [{ rail: base.shopRail(), refundWallet: base.refundWallet?.address }] : []),
    ],
  });
  const service = createService({
    store,
    catalog: goods.catalog,
    rates: goods.rates,
    marginBps: Number(parseDecimal(config.margin_percent, PERCENT_DECIMALS)),
    supplier: metrics.around(parts.supplier(store, draw)),
    rails: [
      {
        ...createSolanaMerchant({
          network: SOLANA_MAINNET,
          mint: USDC_MINT,
          feePayer: () => readFeePayer(facilitator, SOLANA_MAINNET),
          maxTimeoutSeconds: PAYMENT_WINDOW_SECONDS,
          payTo: config.chain.treasury,
        }),
        facilitator,
      },
      ...(base ? [base.checkout] : []),
    ],
    partner: {
      ...(config.name !== undefined && { shopName: config.name }),
      ...(config.website !== undefined && { website: config.website }),
      market: createShopMarket([...receiving.keys()]),
      policy: createShopPolicy(config.limits),
      arePartnersOpen: config.partners.open,
      watch: watchOf([...receiving.values()]),
      sponsorship: openSponsorship(chainParts),
      refundRails: shopRails,
      paymentWindowMs: config.limits.payment_window_minutes * 60_000,
      wallets: {
        async allocate({ orderId, caller, network: { caip2 } }) {
          const place = receiving.get(caip2 ?? '');
          if (place === undefined) throw new ScripError('INTERNAL', verbatim(`no ${caip2} here`));
          await place.checkFunds();
          return place.accounts.lease(`order ${orderId}`, caller);
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
  const bookkeeping = createBookkeeping(store, { rails: shopRails, clock });
  const checks = {
    database: writes.check,
    chain: () => checkLag(nodes, clock),
    async goods() {
      if (goods.now().isSelling) return;
      throw new ScripError('MERCHANT_ERROR', t`Nothing in the catalog can be sold`);
    },
  };
  const degraded = () => ({
    ...goods.now().degraded,
    ...settling.degraded(),
    ...base?.degraded(),
    accounts:
      [...receiving.values()].map(({ accounts }) => accounts.shortage()).find(Boolean) ?? null,
  });
  const ownLines = async () => [
    ...(await metrics.lines()),
    ...accountLines([...receiving.values()]),
    ...wakes.lines(),
  ];
  const alarms = createAlarms({
    ...{ store, clock, report, limits: alarmLimits(config) },
    ways: {
      ...logWay(report),
      ...waysOf(parts.alarms(), { ...options.alarmPorts, now: clock.now }),
    },
    async look() {
      await metrics.sample();
      // Without the database the rest is still looked at.
      const lines = ownLines().catch(() => []);
      return { checks: await readiness(checks, clock), degraded: degraded(), lines: await lines };
    },
  });
  const upkeep = inBackground(
    [
      createMaintenance(chainParts, [
        ...[...receiving.values()].map(({ accounts }) => accounts),
        bookkeeping,
      ]),
      ...goods.upkeep,
      settling.watch,
      ...(base ? [base.watch] : []),
      alarms.watch,
      wakes.hear,
      createRetention(chainParts, {
        ordersDays: config.retention.orders_days,
        offersDays: config.retention.offers_days,
      }),
      ...(payRefunds === undefined ? [] : [payRefunds]),
    ],
    report,
  );
  return {
    feePayer: feePayer.address,
    base,
    database: databaseLabel(parts.database().address),
    handle: async (request, caller) =>
      (await takeCallback({ store, clock, token }, request)) ?? service.fetch(request, caller),
    follow: (...asked) => service.follow?.(...asked),
    async tick() {
      upkeep.start();
      await service.tick();
    },
    checks,
    degraded: (isOperator) => ({ ...(isOperator ? alarms.now() : {}), ...degraded() }),
    metrics: ownLines,
    settle: () => service.close(),
    async close() {
      await Promise.all([upkeep.drain(), wakes.close()]);
      await service.close();
      await store.close();
    },
  };
}

/** Twice what the shop needs to sell, and what its largest refund takes. */
function alarmLimits({ chain, refunds }: ShopConfig): AlarmLimits {
  const twice = (floor: string) => 2 * Number(floor);
  return {
    fee_payer: twice(chain.fee_payer_floor_sol),
    ...(chain.base && { fee_account: twice(chain.base.fee_account_floor_eth) }),
    ...(refunds && { refund_wallet: Number(refunds.most_usdc) }),
  };
}

/** What takes the payments of the partner API's orders on a network. */
interface Receiving {
  readonly network: string;
  readonly accounts: Accounts;
  readonly watch: PaymentWatch;
  /** Checks that their transfers to the treasury can be paid. */
  readonly checkFunds: Facilitator['checkFunds'];
}

/** By network; the first is recommended to buyers. */
function openReceiving(
  parts: ChainParts,
  of: {
    readonly rail: ShopRail;
    readonly own: Facilitator;
    readonly base: OpenBase | undefined;
  },
): ReadonlyMap<string, Receiving> {
  const { config, store, rpc, witness } = parts;
  const { rail, own, base } = of;
  const limits = accountLimits(config);
  const solana = createAccounts({
    ...parts,
    limits,
    rail: solanaReceiving(parts),
    treasury: config.chain.treasury,
    transfers: createShopTransfers(store, rail),
  });
  const watch = openWatch(
    { rpc, witness },
    { ...finalityOf(config), store, since: solana.baselineOf },
  );
  const places: Receiving[] = [
    { network: SOLANA_MAINNET, accounts: solana, watch, checkFunds: own.checkFunds },
  ];
  if (base !== undefined) {
    const accounts = createAccounts({
      ...parts,
      // An address costs nothing there.
      limits: { ...limits, spare: 0, mostADay: Number.POSITIVE_INFINITY },
      rail: base.receiving,
      treasury: base.treasury,
      transfers: createShopTransfers(store, base.shopRail()),
    });
    places.push({
      ...{ network: BASE, accounts, checkFunds: base.checkFunds },
      watch: base.payments(accounts.baselineOf),
    });
  }
  return new Map(places.map((place) => [place.network, place]));
}

/** Orders on a network that the configuration does not name any more wait for it. */
function watchOf(places: readonly Receiving[]): PaymentWatch {
  const away: PaymentWatch = {
    changed: async () => new Set(),
    received: async ({ network }) => {
      throw new ScripError(
        'CHAIN_UNREACHABLE',
        t`Nothing is known of payments on ${network ?? ''}`,
      );
    },
  };
  const watches = [...places.map(({ watch }) => watch), away];
  return routedWatch(
    watches,
    ({ network }) => places.find((one) => one.network === caip2Of(network))?.watch ?? away,
  );
}

/** Undefined where the configuration does not name Base. */
async function baseOf(options: ShopOptions, parts: ChainParts): Promise<OpenBase | undefined> {
  const places = basePlaces(options.config);
  if (places === undefined) return undefined;
  const { baseAccounts, baseFacilitator, baseNodes, checkBase, openBase } = await import(
    './base.ts'
  );
  const [nodes, accounts] = [baseNodes(options, places), await baseAccounts(options, places)];
  for (const key of [accounts.feeAccount, accounts.refundWallet]) if (key) await openKey(key);
  await unlessAway(options.report, async () => void (await checkBase(parts.store, nodes, parts)));
  const maxTimeoutSeconds = PAYMENT_WINDOW_SECONDS;
  const client = baseFacilitator(options, places);
  return openBase({ ...nodes, ...places, ...accounts, client }, { ...parts, maxTimeoutSeconds });
}

/** Undefined where the operator pays refunds: none is sent then. */
function openRefunds(
  { config, ...parts }: ChainParts,
  {
    refundWallet: wallet,
    base,
    failPoint,
  }: Pick<ShopOptions, 'failPoint'> & {
    readonly refundWallet: Signer | undefined;
    readonly base: OpenBase | undefined;
  },
): (() => Promise<void>) | undefined {
  if (config.refunds === undefined || wallet === undefined) return undefined;
  const { most_usdc, per_day_usdc, approve_above_usdc } = config.refunds;
  const watch = watchPorts(failPoint);
  const store = watch.store(parts.store);
  const rail = openShopRail({ ...parts, rpc: watch.refundRpc(parts.rpc) }, watch.refundClaims);
  const senderOf = (of: ShopRail, owner: Signer) => ({
    transfers: createShopTransfers(store, of),
    wallet: owner,
  });
  const onBase = base?.refundWallet && senderOf(base.shopRail(watch), base.refundWallet);
  return createRefundPayments({
    ...{ ...parts, store },
    senders: [senderOf(rail, wallet), ...(onBase ? [onBase] : [])],
    limits: {
      mostAtomic: parseDecimal(most_usdc, USDC_DECIMALS),
      perDayAtomic: parseDecimal(per_day_usdc, USDC_DECIMALS),
      approveAboveAtomic: parseDecimal(approve_above_usdc, USDC_DECIMALS),
    },
  });
}

/** Orders that are paid are delivered while the chain is away; another chain is refused. */
async function unlessAway(
  report: ShopOptions['report'],
  check: () => Promise<void>,
): Promise<void> {
  const away = expected(({ code, sentence }) => {
    report(new ScripError(code, t`The shop starts without the chain: ${sentence}`));
  }, 'CHAIN_UNREACHABLE');
  await check().catch(away);
}

// Work beside the orders, which no order waits for.

type Work = () => Promise<void>;

/** One run at a time of each; faults are reported, and the work is begun again at the next start. */
export function inBackground(works: readonly Work[], report: (error: unknown) => void) {
  const running = new Map<Work, Promise<void>>();
  return {
    start(): void {
      for (const work of works) {
        if (running.has(work)) continue;
        const run = work()
          .catch(report)
          .finally(() => running.delete(work));
        running.set(work, run);
      }
    },
    /** Resolves when none is under way. */
    async drain(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}

// `POST /supplier/callbacks/{reference}`: a supplier says that a pending purchase is decided.

interface CallbackDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly token: string | undefined;
}

const PATH = /^\/supplier\/callbacks\/([A-Za-z0-9_-]{1,100})$/;

/** Answers its path; undefined for every other one. The outcome is asked for, never taken from the call. */
export async function takeCallback(
  { store, clock, token }: CallbackDeps,
  request: Request,
): Promise<Response | undefined> {
  const [, reference] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (reference === undefined || token === undefined) return undefined;
  if (request.method !== 'POST') {
    return new Response(null, { status: 405, headers: { Allow: 'POST' } });
  }
  const isSupplier = isSameText(request.headers.get('authorization') ?? '', `Bearer ${token}`);
  if (!isSupplier) return new Response(null, { status: 401 });
  await store.tables.deliveries.wake(reference, clock.now());
  return new Response(null, { status: 204 });
}

const PICO_PER_USD = 10n ** 12n;

/**
 * Prices are in dollars, and USDC is taken for them one to one, as at the checkout host.
 * @param taken CAIP-2 ids
 */
export function createShopMarket(taken: readonly string[] = [SOLANA_MAINNET]): Market {
  const currencies: readonly Coin[] = COINS.filter(({ name }) => name === 'USDC').map((coin) => ({
    ...coin,
    networks: coin.networks.filter(({ caip2 }) => caip2 !== null && taken.includes(caip2)),
  }));
  const vias = [{ name: 'user_wallet', isExternal: false, coins: currencies }];
  return {
    version: `shop ${taken.join()}`,
    currencies,
    vias,
    coin: (name) => currencies.find((coin) => coin.name === name.toUpperCase()),
    network: (coin, name) => coin.networks.find((network) => network.name === name),
    via: (name) => vias.find((via) => via.name === name),
    picoUsdPer: () => PICO_PER_USD,
    isSuspended: () => false,
    isSuspendedNetwork: () => false,
  };
}

// The rules of a shop: limits of the configuration, the same for every customer, and no coupons.

export function createShopPolicy({
  maximum_usd,
  daily_usd,
  monthly_usd,
}: ShopConfig['limits']): PartnerPolicy {
  const usd = (text: string) => parseDecimal(text, FACE_DECIMALS);
  const monthlyUsd = usd(monthly_usd);
  return {
    limits: {
      maximumUsd: usd(maximum_usd),
      maximumProducts: MAX_DELIVERIES_PER_ORDER,
      unverifiedMonthlyUsd: monthlyUsd,
      feeBps: {},
    },
    customer: () => ({
      tier: { name: 'customer', dailyUsd: usd(daily_usd), monthlyUsd },
      isSignedIn: false,
      verification: 'none',
      mustVerify: false,
      needsReview: false,
      spentElsewhereUsd: usd('0'),
    }),
    flagsOf: () => [],
    coupon: () => undefined,
  };
}
