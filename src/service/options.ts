/** The service's ports and limits. */

import type { Clock } from '../domain/clock.ts';
import type { CoinNetwork } from '../domain/money/coin.ts';
import type { CheckoutRail, PaymentSponsor, ShopRail } from '../rails/merchant-rail.ts';
import type { Store } from '../store/store.ts';
import type { PartnerOrderRow } from '../store/tables/partner-orders.ts';
import type { Market } from './catalog/market.ts';
import type { Pricing } from './checkout/line.ts';
import type { Supplier } from './delivery/supplier.ts';
import type { TrafficOptions } from './http/rate-limits.ts';
import type { PaymentSetup } from './partner/orders/progress.ts';
import type { Compliance, ReconcileDeps } from './partner/orders/reconcile.ts';
import type { PartnerPolicy } from './partner/rules/order-context.ts';
import type { WebhookOptions } from './webhooks/webhooks.ts';

export interface Limits {
  /** Maximum size of a request body, in bytes. */
  readonly bodyBytes: number;
  /** How long a quote is valid (interface: Limits, about 60 seconds). */
  readonly quoteTtlMs: number;
  /** How long a session waits for its payment; afterwards it only answers repeated requests. */
  readonly sessionTtlMs: number;
  /** Maximum number of deliveries, and of settlements, handled per tick. */
  readonly perTick: number;
  /** Maximum number of orders whose payment is looked for per tick: a hundred cost one call. */
  readonly looksPerTick: number;
  /** How long a guided purchase waits for the next answer. */
  readonly wizardIdleMs: number;
  /** Maximum open guided purchases per client. */
  readonly wizardSessions: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 64 * 1024,
  quoteTtlMs: 60_000,
  sessionTtlMs: 60_000,
  perTick: 200,
  looksPerTick: 1_000,
  wizardIdleMs: 10 * 60_000,
  wizardSessions: 20,
};

export interface ServiceOptions extends Pricing {
  readonly store: Store;
  readonly supplier: Supplier;
  /** Rails that the checkout host is paid on; the first one is preferred. */
  readonly rails: readonly [CheckoutRail, ...CheckoutRail[]];
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  /** 32 bytes that encrypt stored vouchers; kept outside the store. */
  readonly voucherKey: Uint8Array;
  /** Address at which clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly limits?: Partial<Limits>;
  /** The partner API; not served if omitted. */
  readonly partner?: PartnerOptions;
  /** User-Agent that clients of the agent surface must send; any by default. */
  readonly agentUserAgent?: string;
  /** Without it, webhooks stay in the outbox. */
  readonly webhooks?: WebhookOptions;
  readonly traffic?: TrafficOptions;
  /** Receives errors that callers don't see: a failing port, a delivery to retry. */
  report?(error: unknown): void;
}

/** What programs, payment pages and wallets call the shop. */
export function shopNameOf({
  shopName,
  baseUrl,
}: Pick<PartnerOptions, 'shopName'> & Pick<ServiceOptions, 'baseUrl'>): string {
  return shopName ?? new URL(baseUrl).host;
}

/** Allocates the addresses that orders are paid to. */
export interface WalletSource {
  /**
   * Returns an address used only by this order, ready to receive the coin.
   * @throws {ScripError} CHAIN_UNREACHABLE; SHOP_FULL
   */
  allocate(order: {
    readonly orderId: string;
    readonly coin: string;
    readonly network: CoinNetwork;
    /** The caller's network address range; empty inside a process. */
    readonly caller: string;
  }): Promise<string>;
}

/** Payments whose network fee the shop pays. */
export interface Sponsorship {
  readonly sponsor: PaymentSponsor;
  /** Fees in a UTC day, counted when they are signed; what never lands is given back. */
  readonly feesPerDay: bigint;
}

/** The partner API's own parts, besides those shared with the checkout host. */
export interface PartnerOptions {
  readonly market: Market;
  readonly policy: PartnerPolicy;
  readonly wallets: WalletSource;
  readonly watch: ReconcileDeps['watch'];
  /** Without it, payments get no compliance check. */
  readonly compliance?: Compliance;
  /** Steps before a payment is requested; none by default. */
  readonly setup?: PaymentSetup;
  /** How long an order may be paid; 15 minutes by default. Ours: the interface does not show it. */
  readonly paymentWindowMs?: number;
  /** Whether ids without a secret may use the partner API; they may by default. */
  readonly arePartnersOpen?: boolean;
  /** Whether orders are marked as test orders. */
  readonly isSandbox?: boolean;
  /** Whether browsers can reach the payment pages; if not, `checkout_url` is null. */
  readonly hasPages?: boolean;
  /** What payment pages and wallets call the shop; default: the host of its address. */
  readonly shopName?: string;
  /** Where a payment page leads once there is nothing left to do on it. */
  readonly website?: string;
  /** Without it, a buyer's wallet pays the network fee itself. */
  readonly sponsorship?: Sponsorship;
  /** Rails that refunds are sent on. An address on another network is judged by its form alone. */
  readonly refundRails?: readonly Pick<ShopRail, 'network' | 'isKeyAddress' | 'canReceive'>[];
  /**
   * URL of the form that simulates a payment; undefined if the order is paid with real money or on
   * a chain.
   */
  simulateAt?(order: PartnerOrderRow): string | undefined;
}
