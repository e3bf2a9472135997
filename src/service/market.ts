/** Which coins and networks orders are paid in, at which rates; the sandbox brings a fixed table. */
import type { Coin, CoinNetwork } from '../domain/coin.ts';

/** A way to pay: the buyer's own wallet, or a processor that takes the payment for us. */
export interface PaymentVia {
  /** As `payment_via` names it, such as `user_wallet`. */
  readonly name: string;
  /** Whether the payment is made at a processor's page, not to an address of ours. */
  readonly isExternal: boolean;
  /** Coins with the networks that this way has; none where the processor chooses. */
  readonly coins: readonly Coin[];
}

export interface Market {
  /** Changes when the content does: caches are keyed on it. */
  readonly version: string;
  readonly currencies: readonly Coin[];
  readonly vias: readonly PaymentVia[];
  /** A coin by its ticker; letters count, their case does not. */
  coin(name: string): Coin | undefined;
  /** The network of that exact name that carries the coin. */
  network(coin: Coin, name: string): CoinNetwork | undefined;
  via(name: string): PaymentVia | undefined;
  /** Value of one coin in 10^-12 USD; every coin of the market has one. */
  picoUsdPer(coin: Coin): bigint;
  isSuspended(coin: Coin): boolean;
  isSuspendedNetwork(networkName: string): boolean;
}

/** What is asked for when the caller names no coin (interface: USDC on Solana is recommended). */
export const DEFAULT_COIN = 'USDC';
