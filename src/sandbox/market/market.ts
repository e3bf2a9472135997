/** The sandbox's market: real coins and networks at fixed rates, with one coin and one network suspended. */

import type { Coin } from '../../domain/coin.ts';
import { COINS } from '../../domain/coins.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { parseDecimal } from '../../domain/money.ts';
import { NETWORKS } from '../../domain/networks.ts';
import type { Market, PaymentVia } from '../../service/market.ts';
import { hash32 } from '../catalog/draw.ts';

/** Rates are kept in US dollars with this many decimals. */
const PICO = 12;

/** Fixed, approximate US dollars per coin: sample data, so the same order always costs the same. */
const USD_PER_COIN: Readonly<Record<string, string>> = {
  USDC: '1',
  USDT: '1',
  BTC: '100000',
  ETH: '3500',
  SOL: '200',
  WLD: '1.25',
  LTC: '110',
  DOGE: '0.22',
  AVAX: '28',
  POL: '0.25',
  BNB: '800',
  TRX: '0.3',
  DASH: '25',
};

export interface MarketSettings {
  /** US dollars per coin, as decimal text; other coins keep the sandbox's rate. */
  readonly usdPerCoin?: Readonly<Partial<Record<string, string>>> | undefined;
  /** Tickers of coins that orders cannot use for now. */
  readonly suspendedCoins?: readonly string[] | undefined;
  /** Names of networks that orders cannot use for now. */
  readonly suspendedNetworks?: readonly string[] | undefined;
}

/** Lets users try both refusals; no other coin or network depends on these two. */
const SUSPENDED = { coins: ['DASH'], networks: [NETWORKS.optimism.name] } as const;

/**
 * Creates the market.
 * @throws {ScripError} AMOUNT_INVALID on a rate that is not a decimal, INPUT_INVALID on 0
 */
export function createSandboxMarket(settings: MarketSettings = {}): Market {
  const usdOf = (name: string): string => settings.usdPerCoin?.[name] ?? USD_PER_COIN[name] ?? '';
  const rates = new Map(COINS.map(({ name }) => [name, picoUsd(name, usdOf(name))]));
  const coins = new Map(COINS.map((coin) => [coin.name, coin]));
  const suspendedCoins = new Set<string>(settings.suspendedCoins ?? SUSPENDED.coins);
  const suspendedNetworks = new Set<string>(settings.suspendedNetworks ?? SUSPENDED.networks);
  const vias = listVias(COINS);
  return {
    version: versionOf([
      [...rates.values()].map(String),
      [...suspendedCoins],
      [...suspendedNetworks],
    ]),
    currencies: COINS,
    vias,
    coin: (name) => coins.get(name.toUpperCase()),
    network: (coin, name) => coin.networks.find((network) => network.name === name),
    via: (name) => vias.find((via) => via.name === name),
    picoUsdPer: ({ name }) => rates.get(name) ?? picoUsd(name, ''),
    isSuspended: ({ name }) => suspendedCoins.has(name),
    isSuspendedNetwork: (name) => suspendedNetworks.has(name),
  };
}

/** Coins that Binance Pay settles in. It has no networks, since the buyer pays from an account. */
const BINANCE_PAY_COINS = ['USDT', 'USDC', 'BTC', 'ETH', 'BNB'];

/** Ours but for `binance_pay`: the interface mentions a user-wallet kind and shows no names. */
function listVias(coins: readonly Coin[]): readonly PaymentVia[] {
  return [
    { name: 'user_wallet', isExternal: false, coins },
    { name: 'wallet_connect', isExternal: false, coins: onEngine(coins, 'EVM') },
    {
      name: 'binance_pay',
      isExternal: true,
      coins: coins
        .filter(({ name }) => BINANCE_PAY_COINS.includes(name))
        .map((coin) => ({ ...coin, networks: [] })),
    },
  ];
}

function onEngine(coins: readonly Coin[], wanted: string): readonly Coin[] {
  return coins
    .map((coin) => ({ ...coin, networks: coin.networks.filter(({ engine }) => engine === wanted) }))
    .filter(({ networks }) => networks.length > 0);
}

function picoUsd(coin: string, usd: string): bigint {
  const rate = parseDecimal(usd, PICO);
  if (rate > 0n) return rate;
  throw new ScripError('INPUT_INVALID', t`The exchange rate of ${coin} must be more than 0 USD`);
}

function versionOf(content: unknown): string {
  return `market-${hash32(JSON.stringify(content)).toString(16)}`;
}
