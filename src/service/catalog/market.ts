/** The port for coins, networks and exchange rates; the sandbox has a fixed table. */
import type { Coin, CoinNetwork } from '../../domain/money/coin.ts';

/** A way to pay: the buyer's own wallet, or a payment processor. */
export interface PaymentVia {
  /** Its name in `payment_via`, such as `user_wallet`. */
  readonly name: string;
  /** Whether the buyer pays on a processor's page, not to our address. */
  readonly isExternal: boolean;
  /** Coins with their networks; no networks if the processor chooses. */
  readonly coins: readonly Coin[];
}

export interface Market {
  /** Changes with the content: caches are keyed on it. */
  readonly version: string;
  readonly currencies: readonly Coin[];
  readonly vias: readonly PaymentVia[];
  /** Finds a coin by its ticker, in any case. */
  coin(name: string): Coin | undefined;
  /** Finds the network with this exact name that carries the coin. */
  network(coin: Coin, name: string): CoinNetwork | undefined;
  via(name: string): PaymentVia | undefined;
  /** Value of one coin in 10^-12 USD; every coin of the market has one. */
  picoUsdPer(coin: Coin): bigint;
  isSuspended(coin: Coin): boolean;
  isSuspendedNetwork(networkName: string): boolean;
}

/** Used if the caller names no coin (interface: USDC on Solana is recommended). */
export const DEFAULT_COIN = 'USDC';
