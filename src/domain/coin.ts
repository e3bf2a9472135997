/** Coins that orders are paid in, the networks that carry them, and what goods cost in them. */
import { type Atomic, atomic, formatDecimal } from './money.ts';

export interface SmartContract {
  readonly address: string;
  /** Decimals in which the contract counts. */
  readonly decimals: number;
  readonly symbol: string;
}

/** How a payment on the network is written as a URI: see payment-uri.ts. */
export type PaymentScheme =
  | 'solana'
  | 'ethereum'
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'dash'
  | 'lightning'
  | 'tron';

/** A network, whichever coin it carries. */
export interface Network {
  /** As the wire names it, such as `Polygon (Matic)`. */
  readonly name: string;
  /** Chain id of EIP-155; null elsewhere. */
  readonly chainId: number | null;
  /** CAIP-2 id, by which a rail knows the network; null where it has none that is in use. */
  readonly caip2: string | null;
  /** Machine that runs its contracts, such as `EVM`; null where there are none. */
  readonly engine: string | null;
  /** Coin that transfers are paid for in. */
  readonly baseToken: string;
  /** Suffix of payment methods on it, such as `SOL`; null when the coin alone says it. */
  readonly code: string | null;
  readonly scheme: PaymentScheme;
  /** What a transfer costs its sender, in US dollars as decimal text. */
  readonly transferCostUsd: string;
}

/** A network that carries a coin. */
export interface CoinNetwork extends Network {
  /** The token's contract; null for the network's own coin. */
  readonly contract: SmartContract | null;
  /** Decimals in which the network counts the coin; at least those of the coin's amounts. */
  readonly decimals: number;
  /** Smallest order in the coin, as decimal text. */
  readonly threshold: string;
}

export interface Coin {
  /** Ticker, such as `USDC`. */
  readonly name: string;
  readonly title: string;
  /** Decimals in which amounts are asked for. */
  readonly decimals: number;
  /** Smallest order on the cheapest network, as decimal text. */
  readonly threshold: string;
  /** The recommended one first. */
  readonly networks: readonly CoinNetwork[];
}

const PICO_PER_MICRO = 10n ** 6n;

/**
 * What a sum in 10^-6 USD costs in a coin, in units of 10^-decimals of the coin. Rounded up once,
 * so that the price never falls below cost by rounding.
 * @param rate value of one coin in 10^-12 USD, more than 0
 * @throws {ScripError} AMOUNT_INVALID when the result is over 64 bits
 */
export function coinAmount(usdMicros: Atomic, rate: bigint, decimals: number): Atomic {
  const dividend = usdMicros * PICO_PER_MICRO * 10n ** BigInt(decimals);
  return atomic((dividend + rate - 1n) / rate);
}

/** An amount of a coin as the wire has it: a plain decimal, never with an exponent. */
export function formatCoinAmount(amount: Atomic, coin: Pick<Coin, 'decimals'>): string {
  return formatDecimal(amount, coin.decimals);
}

/** An amount in the units that the network counts in; over 64 bits where it counts in 18 decimals. */
export function toBaseUnits(
  amount: Atomic,
  coin: Pick<Coin, 'decimals'>,
  network: Pick<CoinNetwork, 'decimals'>,
): bigint {
  return amount * 10n ** BigInt(network.decimals - coin.decimals);
}
