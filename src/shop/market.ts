/** What a shop is paid in: USDC on Solana. */

import type { Coin } from '../domain/coin.ts';
import { COINS } from '../domain/coins.ts';
import { NETWORKS } from '../domain/networks.ts';
import type { Market } from '../service/market.ts';

const PICO_PER_USD = 10n ** 12n;
const { name: SOLANA } = NETWORKS.solana;

/** Prices are in dollars, and USDC is taken for them one to one, as at the checkout host. */
export function createShopMarket(): Market {
  const currencies: readonly Coin[] = COINS.filter(({ name }) => name === 'USDC').map((coin) => ({
    ...coin,
    networks: coin.networks.filter(({ name }) => name === SOLANA),
  }));
  const vias = [{ name: 'user_wallet', isExternal: false, coins: currencies }];
  return {
    version: 'shop',
    currencies,
    vias,
    coin: (name) => currencies.find((coin) => coin.name === name.toUpperCase()),
    network: (coin, name) => coin.networks.find((network) => network.name === name),
    via: (name) => vias.find((via) => via.name === name),
    picoUsdPer: () => PICO_PER_USD,
    isSuspended: () => false,
    isSuspendedNetwork: () => false,
  };
}
