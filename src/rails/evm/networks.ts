/** The chains of this rail and USDC there. The table is pinned: no server and no node adds to it. */

import { BASE, BASE_SEPOLIA } from '../../contract/usdc.ts';

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
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
  version: '2',
};

const NETWORKS: readonly EvmNetwork[] = [
  BASE_NETWORK,
  {
    network: BASE_SEPOLIA,
    chainId: 84532,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    name: 'USDC',
    version: '2',
  },
];

/** Returns undefined for a network that this rail does not know. */
export function evmNetwork(network: string): EvmNetwork | undefined {
  return NETWORKS.find((one) => one.network === network);
}
