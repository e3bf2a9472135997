/**
 * Assembles the sandbox's parts of the partner API: market, rules, addresses, payments and
 * compliance checks.
 */
import { USDC_MINT } from '../../contract/x402.ts';
import { isEmbeddedUrl } from '../../domain/address/loopback.ts';
import { atomic } from '../../domain/money/money.ts';
import {
  type PaymentSponsor,
  type PaymentWatch,
  routedWatch,
  type ShopRail,
  type WatchedOrder,
} from '../../rails/merchant-rail.ts';
import type { SolanaRpc } from '../../rails/solana/rpc.ts';
import { createSolanaWatch } from '../../rails/solana/watch.ts';
import type { Market } from '../../service/catalog/market.ts';
import type { PartnerOptions } from '../../service/options.ts';
import type { BaseRail } from '../base-rail.ts';
import type { Draw } from '../data-folder.ts';
import { createSandboxMarket } from '../market.ts';
import { sandboxCompliance, sandboxSetup } from '../scenarios.ts';
import type { ShopChain } from '../shop-chain.ts';
import { createSandboxWallets, isOnBase, isOnChain, type NextAddress } from './addresses.ts';
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
  readonly base: BaseRail | undefined;
}

/** As a shop's default: some 900 payments. */
const SPONSORED_LAMPORTS_PER_DAY = 10_000_000n;

export function sandboxPartner(
  { chain, nextAddress, draw, rpc, shopRail, played, baseUrl, sponsor, base }: PartnerParts,
  settings: PartnerSettings = {},
): PartnerOptions {
  const market = createSandboxMarket();
  const onChain = createSolanaWatch({ rpc, mints: { USDC: USDC_MINT } });
  return {
    market,
    policy: SANDBOX_POLICY,
    wallets: createSandboxWallets(nextAddress, { draw, base }),
    watch: chooseWatch({ market, chain, base }, onChain, played),
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
  {
    market,
    chain,
    base,
  }: {
    readonly market: Market;
    readonly chain: Pick<ShopChain, 'news'>;
    readonly base: BaseRail | undefined;
  },
  onChain: PaymentWatch,
  played: PaymentWatch,
): PaymentWatch {
  // Simulated payments need no news: they wake their order themselves.
  const since = chain.news ?? (async (mark = '') => ({ addresses: [], mark }));
  const onBase = base && sumOf(base.payments, played);
  const watchOf = (order: WatchedOrder) => {
    if (isPaidOnChain(market, order)) return onChain;
    const coin = market.coin(order.coin);
    const network = coin && market.network(coin, order.network ?? '');
    return onBase && isOnBase(order.coin, network) ? onBase : played;
  };
  return {
    ...routedWatch([onChain, played, ...(onBase ? [onBase] : [])], watchOf),
    news: {
      covers: (order) => {
        const watch = watchOf(order);
        return watch === played || (watch === onChain && chain.news !== undefined);
      },
      since,
    },
  };
}

/** Payments on the stand-in for Base and simulated ones. */
function sumOf(one: PaymentWatch, other: PaymentWatch): PaymentWatch {
  return {
    received: async (order) => {
      const [here, there] = await Promise.all([one.received(order), other.received(order)]);
      return {
        confirmedAtomic: atomic(here.confirmedAtomic + there.confirmedAtomic),
        seenAtomic: atomic(here.seenAtomic + there.seenAtomic),
        transactions: [...here.transactions, ...there.transactions],
      };
    },
  };
}
