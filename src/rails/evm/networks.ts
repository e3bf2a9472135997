/** The chains of this rail and USDC there. */

import { BASE, BASE_SEPOLIA, USDC_ADDRESSES } from '../../contract/usdc.ts';

export interface EvmNetwork {
  /** CAIP-2 id. */
  readonly network: string;
  readonly chainId: number;
  /** Address of USDC, with its checksum. */
  readonly asset: string;
  /** Name and version in USDC's EIP-712 domain. */
  readonly name: string;
  readonly version: string;
}

export const BASE_NETWORK: EvmNetwork = {
  network: BASE,
  chainId: 8453,
  asset: USDC_ADDRESSES[BASE],
  name: 'USD Coin',
  version: '2',
};

const NETWORKS: readonly EvmNetwork[] = [
  BASE_NETWORK,
  {
    network: BASE_SEPOLIA,
    chainId: 84532,
    asset: USDC_ADDRESSES[BASE_SEPOLIA],
    name: 'USDC',
    version: '2',
  },
];

/** Returns undefined for a network that this rail does not know. */
export function evmNetwork(network: string): EvmNetwork | undefined {
  return NETWORKS.find((one) => one.network === network);
}
