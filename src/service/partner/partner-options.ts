import type { CoinNetwork } from '../../domain/coin.ts';
import type { PaymentSponsor } from '../../rails/merchant-rail.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { Market } from '../market.ts';
import type { PartnerPolicy } from './merchant-rules.ts';
import type { Compliance, ReconcileDeps } from './reconcile.ts';
import type { PaymentSetup } from './setup.ts';

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
  readonly lamportsPerDay: bigint;
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
  /**
   * Whether a transfer of USDC on Solana can reach an address; without it, that is seen when a refund is sent.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  canReceiveUsdc?(owner: string): Promise<boolean>;
  /**
   * URL of the form that simulates a payment; undefined if the order is paid with real money or on
   * a chain.
   */
  simulateAt?(order: PartnerOrderRow): string | undefined;
}
