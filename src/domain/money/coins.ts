/** Real networks: names of the interface, chain ids of EIP-155. */

import { BASE, USDC_ADDRESSES, USDC_MINT } from '../../contract/usdc.ts';
import type { Coin, CoinNetwork, Network } from './coin.ts';

const evm = (
  name: string,
  chainId: number,
  rest: Pick<Network, 'baseToken' | 'code' | 'transferCostUsd'>,
): Network => ({
  name,
  chainId,
  caip2: `eip155:${chainId}`,
  engine: 'EVM',
  scheme: 'ethereum',
  ...rest,
});

/** A network with a single coin; its payment method label is the coin alone. */
const own = (
  name: string,
  baseToken: string,
  rest: Pick<Network, 'scheme' | 'transferCostUsd' | 'caip2'>,
): Network => ({ name, chainId: null, engine: null, baseToken, code: null, ...rest });

/** Transfer costs are sample data: rounded figures of about 2025. */
export const NETWORKS = {
  bitcoin: own('Mainnet', 'BTC', {
    scheme: 'bitcoin',
    transferCostUsd: '0.80',
    caip2: 'bip122:000000000019d6689c085ae165831e93',
  }),
  lightning: {
    ...own('Lightning', 'BTC', { scheme: 'lightning', transferCostUsd: '0.01', caip2: null }),
    code: 'LN',
  },
  litecoin: own('Mainnet', 'LTC', {
    scheme: 'litecoin',
    transferCostUsd: '0.01',
    caip2: 'bip122:12a765e31ffd4059bada1e25190f6e98',
  }),
  dogecoin: own('Mainnet', 'DOGE', {
    scheme: 'dogecoin',
    transferCostUsd: '0.02',
    caip2: 'bip122:1a91e3dace36e2be3bf030a65679fe82',
  }),
  dash: own('Mainnet', 'DASH', { scheme: 'dash', transferCostUsd: '0.01', caip2: null }),
  solana: {
    name: 'Solana',
    chainId: null,
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    engine: 'SVM',
    baseToken: 'SOL',
    code: 'SOL',
    scheme: 'solana',
    transferCostUsd: '0.001',
  },
  tron: {
    name: 'Tron',
    chainId: null,
    caip2: null,
    engine: 'TVM',
    baseToken: 'TRX',
    code: 'TRX',
    scheme: 'tron',
    transferCostUsd: '2.00',
  },
  ethereum: evm('Ethereum', 1, { baseToken: 'ETH', code: 'ETH', transferCostUsd: '0.60' }),
  optimism: evm('Optimism', 10, { baseToken: 'ETH', code: 'OP', transferCostUsd: '0.01' }),
  bsc: evm('BNB Smart Chain', 56, { baseToken: 'BNB', code: 'BNB', transferCostUsd: '0.02' }),
  polygon: evm('Polygon (Matic)', 137, {
    baseToken: 'POL',
    code: 'MATIC',
    transferCostUsd: '0.01',
  }),
  worldChain: evm('World Chain', 480, { baseToken: 'ETH', code: 'WC', transferCostUsd: '0.01' }),
  base: evm('Base', 8453, { baseToken: 'ETH', code: 'BASE', transferCostUsd: '0.01' }),
  arbitrum: evm('Arbitrum', 42161, { baseToken: 'ETH', code: 'ARB', transferCostUsd: '0.01' }),
  avalanche: evm('Avalanche', 43114, { baseToken: 'AVAX', code: 'AVAX', transferCostUsd: '0.02' }),
} as const satisfies Record<string, Network>;

/** The CAIP-2 id of a network by its name on the wire; of one without contracts only with its coin. */
export function caip2Of(name: string | null, coin?: string): string | undefined {
  const known: readonly Network[] = Object.values(NETWORKS);
  const isMeant = (one: Network) => one.engine !== null || one.baseToken === coin;
  return known.find((one) => isMeant(one) && one.name === name)?.caip2 ?? undefined;
}

const CHAINS: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  LTC: 'Litecoin',
  DOGE: 'Dogecoin',
  DASH: 'Dash',
};

/** The name for people: the interface calls the own network of several coins `Mainnet`. */
export function networkName(coin: string | undefined, network: string): string {
  return (network === NETWORKS.bitcoin.name ? CHAINS[coin ?? ''] : undefined) ?? network;
}

type NetworkKey = keyof typeof NETWORKS;

/** Decimals of the native coins of EVM chains. */
const WEI = 18;

/** Below this, the fee of the expensive network would be a large part of the order. */
const ETHEREUM_MINIMUM_USD = '5';

interface Placement {
  readonly network: NetworkKey;
  readonly decimals?: number;
  readonly contract?: string;
  readonly threshold?: string;
}

const native = (network: NetworkKey, more: Partial<Placement> = {}): Placement => ({
  network,
  ...more,
});
const token = (
  network: NetworkKey,
  contract: string,
  more: Partial<Placement> = {},
): Placement => ({ network, contract, ...more });

type Description = Omit<Coin, 'networks'>;

function coin(description: Description, placements: readonly Placement[]): Coin {
  return { ...description, networks: placements.map((place) => locate(description, place)) };
}

function locate(coin: Description, place: Placement): CoinNetwork {
  const { network, contract, decimals = coin.decimals, threshold = coin.threshold } = place;
  return {
    ...NETWORKS[network],
    decimals,
    threshold,
    contract: contract === undefined ? null : { address: contract, decimals, symbol: coin.name },
  };
}

/** Recommended network first; thresholds are ours, about one US dollar. */
export const COINS: readonly Coin[] = [
  coin({ name: 'USDC', title: 'USD Coin', decimals: 6, threshold: '1' }, [
    token('solana', USDC_MINT),
    token('base', USDC_ADDRESSES[BASE]),
    token('polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    token('arbitrum', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    token('avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    token('optimism', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    token('ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', {
      threshold: ETHEREUM_MINIMUM_USD,
    }),
  ]),
  coin({ name: 'USDT', title: 'Tether USD', decimals: 6, threshold: '1' }, [
    token('tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', { threshold: '5' }),
    token('polygon', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
    token('solana', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
    token('arbitrum', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
    token('avalanche', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
    token('bsc', '0x55d398326f99059fF775485246999027B3197955', { decimals: 18 }),
    token('ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7', {
      threshold: ETHEREUM_MINIMUM_USD,
    }),
  ]),
  coin({ name: 'BTC', title: 'Bitcoin', decimals: 8, threshold: '0.00001' }, [
    native('bitcoin', { threshold: '0.00005' }),
    native('lightning'),
  ]),
  coin({ name: 'ETH', title: 'Ether', decimals: 9, threshold: '0.0003' }, [
    native('ethereum', { decimals: WEI, threshold: '0.0015' }),
    native('arbitrum', { decimals: WEI }),
    native('base', { decimals: WEI }),
    native('optimism', { decimals: WEI }),
  ]),
  coin({ name: 'SOL', title: 'Solana', decimals: 9, threshold: '0.005' }, [native('solana')]),
  coin({ name: 'WLD', title: 'Worldcoin', decimals: 9, threshold: '1' }, [
    token('worldChain', '0x2cFc85d8E48F8EAB294be644d9E25C3030863003', { decimals: 18 }),
    token('optimism', '0xdC6fF44d5d932Cbd77B52E5612Ba0529DC6226F1', { decimals: 18 }),
    token('ethereum', '0x163f8C2467924be0ae7B5347228CABF260318753', {
      decimals: 18,
      threshold: '5',
    }),
  ]),
  coin({ name: 'LTC', title: 'Litecoin', decimals: 8, threshold: '0.01' }, [native('litecoin')]),
  coin({ name: 'DOGE', title: 'Dogecoin', decimals: 8, threshold: '5' }, [native('dogecoin')]),
  coin({ name: 'AVAX', title: 'Avalanche', decimals: 9, threshold: '0.05' }, [
    native('avalanche', { decimals: WEI }),
  ]),
  coin({ name: 'POL', title: 'Polygon', decimals: 9, threshold: '4' }, [
    native('polygon', { decimals: WEI }),
  ]),
  coin({ name: 'BNB', title: 'BNB', decimals: 9, threshold: '0.002' }, [
    native('bsc', { decimals: WEI }),
  ]),
  coin({ name: 'TRX', title: 'TRON', decimals: 6, threshold: '4' }, [native('tron')]),
  coin({ name: 'DASH', title: 'Dash', decimals: 8, threshold: '0.04' }, [native('dash')]),
];
