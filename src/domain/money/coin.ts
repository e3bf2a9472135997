/** Coins that pay for orders, the networks that carry them, and prices in them. */

import { type Atomic, atomic, formatDecimal } from './money.ts';

interface SmartContract {
  readonly address: string;
  /** Decimals of the contract's amounts. */
  readonly decimals: number;
  readonly symbol: string;
}

/** URI scheme of payments on the network: see payment-uri.ts. */
export type PaymentScheme =
  | 'solana'
  | 'ethereum'
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'dash'
  | 'lightning'
  | 'tron';

/** A network, independent of the coin. */
export interface Network {
  /** Name on the wire, such as `Polygon (Matic)`. */
  readonly name: string;
  /** EIP-155 chain id; null for other networks. */
  readonly chainId: number | null;
  /** CAIP-2 id, which payment rails use; null when the network has none in common use. */
  readonly caip2: string | null;
  /** Smart-contract engine, such as `EVM`; null when there are no contracts. */
  readonly engine: string | null;
  /** Coin that pays the network's fees. */
  readonly baseToken: string;
  /** Suffix of payment method names, such as `SOL`; null when the coin's name is enough. */
  readonly code: string | null;
  readonly scheme: PaymentScheme;
  /** Cost of a transfer for its sender, in US dollars as decimal text. */
  readonly transferCostUsd: string;
}

/** A network that carries a coin. */
export interface CoinNetwork extends Network {
  /** The token's contract; null for the network's own coin. */
  readonly contract: SmartContract | null;
  /** Decimals of the coin's amounts on this network; at least those of `Coin.decimals`. */
  readonly decimals: number;
  /** Minimum order in the coin, as decimal text. */
  readonly threshold: string;
}

export interface Coin {
  /** Ticker, such as `USDC`. */
  readonly name: string;
  readonly title: string;
  /** Decimals of requested amounts. */
  readonly decimals: number;
  /** Minimum order on the cheapest network, as decimal text. */
  readonly threshold: string;
  /** The recommended network comes first. */
  readonly networks: readonly CoinNetwork[];
}

const PICO_PER_MICRO = 10n ** 6n;

/**
 * Converts 10^-6 USD to a coin, in units of 10^-decimals of the coin. Rounds up once, so that rounding never
 * puts the price below cost.
 * @param rate value of one coin in 10^-12 USD, more than 0
 * @throws {ScripError} AMOUNT_INVALID when the result exceeds 64 bits
 */
export function coinAmount(usdMicros: Atomic, rate: bigint, decimals: number): Atomic {
  const dividend = usdMicros * PICO_PER_MICRO * 10n ** BigInt(decimals);
  return atomic((dividend + rate - 1n) / rate);
}

/** Writes an amount of a coin for the wire: a plain decimal, never with an exponent. */
export function formatCoinAmount(amount: Atomic, coin: Pick<Coin, 'decimals'>): string {
  return formatDecimal(amount, coin.decimals);
}

/** Converts an amount to the network's base units. May exceed 64 bits when the network has 18 decimals. */
export function toBaseUnits(
  amount: Atomic,
  coin: Pick<Coin, 'decimals'>,
  network: Pick<CoinNetwork, 'decimals'>,
): bigint {
  return amount * 10n ** BigInt(network.decimals - coin.decimals);
}
