/**
 * Assembles the sandbox's parts of the partner API: market, rules, addresses, payments and
 * compliance checks.
 */
import { USDC_MINT } from '../../contract/x402.ts';
import { isEmbeddedUrl } from '../../domain/address/loopback.ts';
import {
  changedOrders,
  type PaymentSponsor,
  type PaymentWatch,
  type ShopRail,
  type WatchedOrder,
} from '../../rails/merchant-rail.ts';
import type { SolanaRpc } from '../../rails/solana/rpc.ts';
import { createSolanaWatch } from '../../rails/solana/watch.ts';
import type { Market } from '../../service/catalog/market.ts';
import type { PartnerOptions } from '../../service/options.ts';
import type { Draw } from '../data-folder.ts';
import { createSandboxMarket } from '../market.ts';
import { sandboxCompliance, sandboxSetup } from '../scenarios.ts';
import type { ShopChain } from '../shop-chain.ts';
import { createSandboxWallets, isOnChain, type NextAddress } from './addresses.ts';
import { payForm } from './buttons.ts';
import type { PlayedPayments } from './played-payments.ts';
import { SANDBOX_POLICY } from './policy.ts';

/** What the operator chooses. */
export interface PartnerSettings extends Pick<PartnerOptions, 'arePartnersOpen'> {
  /** How long an order may be paid, in milliseconds; by default 15 minutes. */
  readonly paymentWindowMs?: number | undefined;
}

export interface PartnerParts {
  readonly chain: ShopChain;
  readonly nextAddress: NextAddress;
  readonly draw: Draw;
  readonly rpc: SolanaRpc;
  readonly shopRail: ShopRail;
  readonly played: PlayedPayments;
  readonly baseUrl: string;
  /** Undefined with a facilitator elsewhere, whose fee payer is not ours. */
  readonly sponsor: PaymentSponsor | undefined;
}

/** As a shop's default: some 900 payments. */
const SPONSORED_LAMPORTS_PER_DAY = 10_000_000n;

export function sandboxPartner(
  { chain, nextAddress, draw, rpc, shopRail, played, baseUrl, sponsor }: PartnerParts,
  settings: PartnerSettings = {},
): PartnerOptions {
  const market = createSandboxMarket();
  const onChain = createSolanaWatch({ rpc, mints: { USDC: USDC_MINT } });
  return {
    market,
    policy: SANDBOX_POLICY,
    wallets: createSandboxWallets(nextAddress, draw),
    watch: chooseWatch({ market, chain }, onChain, played),
    refundRails: [shopRail],
    compliance: sandboxCompliance,
    setup: sandboxSetup,
    isSandbox: true,
    ...(sponsor && { sponsorship: { sponsor, feesPerDay: SPONSORED_LAMPORTS_PER_DAY } }),
    arePartnersOpen: settings.arePartnersOpen ?? true,
    hasPages: !isEmbeddedUrl(baseUrl),
    simulateAt: (order) => (isPaidOnChain(market, order) ? undefined : payForm(order.pageId)),
    ...(settings.paymentWindowMs !== undefined && { paymentWindowMs: settings.paymentWindowMs }),
  };
}

function isPaidOnChain(market: Market, order: Pick<WatchedOrder, 'coin' | 'network'>): boolean {
  const coin = market.coin(order.coin);
  return isOnChain(order.coin, coin && market.network(coin, order.network ?? ''));
}

function chooseWatch(
  { market, chain }: { readonly market: Market; readonly chain: Pick<ShopChain, 'news'> },
  onChain: PaymentWatch,
  played: PaymentWatch,
): PaymentWatch {
  // Simulated payments need no news: they wake their order themselves.
  const since = chain.news ?? (async (mark = '') => ({ addresses: [], mark }));
  return {
    changed: async (orders) => {
      const here = orders.filter((order) => isPaidOnChain(market, order));
      const there = orders.filter((order) => !isPaidOnChain(market, order));
      const found = await Promise.all([changedOrders(onChain, here), changedOrders(played, there)]);
      return new Set(found.flatMap((ids) => [...ids]));
    },
    received: (order) => (isPaidOnChain(market, order) ? onChain : played).received(order),
    news: {
      covers: (order) => chain.news !== undefined || !isPaidOnChain(market, order),
      since,
    },
  };
}
