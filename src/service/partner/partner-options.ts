/** The partner API's own parts of a service. */
import type { CoinNetwork } from '../../domain/coin.ts';
import type { Market } from '../market.ts';
import type { PartnerPolicy } from './merchant-rules.ts';
import type { Compliance, ReconcileDeps } from './reconcile.ts';
import type { PaymentSetup } from './setup.ts';

/** Addresses that orders are paid to. */
export interface WalletSource {
  /**
   * An address for this order alone, ready to receive the coin.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  allocate(order: {
    readonly orderId: string;
    readonly coin: string;
    readonly network: CoinNetwork;
  }): Promise<string>;
}

/** The partner API's own parts, beside those that it shares with the checkout host. */
export interface PartnerOptions {
  readonly market: Market;
  readonly policy: PartnerPolicy;
  readonly wallets: WalletSource;
  readonly watch: ReconcileDeps['watch'];
  /** No payment is checked when left out. */
  readonly compliance?: Compliance;
  /** What happens before a payment is asked for; nothing that takes time when left out. */
  readonly setup?: PaymentSetup;
  /** How long an order may be paid; 15 minutes when left out. Ours: the interface does not show it. */
  readonly paymentWindowMs?: number;
  /** Whether orders are play: they say so. */
  readonly isSandbox?: boolean;
  /** Page at which an order is paid through a processor. */
  checkoutUrl?(orderId: string): string;
}
