/** The sandbox's market: real coins and networks at fixed rates, with one coin and one network suspended. */

import type { Coin } from '../domain/money/coin.ts';
import { COINS, NETWORKS } from '../domain/money/coins.ts';
import { parseDecimal } from '../domain/money/money.ts';
import type { Market, PaymentVia } from '../service/catalog/market.ts';

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

/** Lets users try both refusals; no other coin or network depends on these two. */
const SUSPENDED_COIN = 'DASH';
const SUSPENDED_NETWORK = NETWORKS.optimism.name;

export function createSandboxMarket(): Market {
  const rates = new Map(
    COINS.map(({ name }) => [name, parseDecimal(USD_PER_COIN[name] ?? '', PICO)]),
  );
  const coins = new Map(COINS.map((coin) => [coin.name, coin]));
  const vias = listVias(COINS);
  return {
    // The rates never change.
    version: 'market',
    currencies: COINS,
    vias,
    coin: (name) => coins.get(name.toUpperCase()),
    network: (coin, name) => coin.networks.find((network) => network.name === name),
    via: (name) => vias.find((via) => via.name === name),
    picoUsdPer: ({ name }) => rates.get(name) ?? parseDecimal('', PICO),
    isSuspended: ({ name }) => name === SUSPENDED_COIN,
    isSuspendedNetwork: (name) => name === SUSPENDED_NETWORK,
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
