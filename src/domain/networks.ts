/** Real networks: names of the interface, chain ids of EIP-155. */
import type { Network } from './coin.ts';

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

export type NetworkKey = keyof typeof NETWORKS;
