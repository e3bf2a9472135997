/** The token and network of payments: only constants, so importing them loads no schema. */

/** CAIP-2 id of Solana mainnet: the first 32 characters of its genesis hash. */
export const SOLANA_MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
/** USDC on Solana mainnet. */
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDC_DECIMALS = 6;

/** CAIP-2 ids of Base and of its test network. */
export const BASE = 'eip155:8453';
export const BASE_SEPOLIA = 'eip155:84532';

/** The namespace of a network (CAIP-2): one key of a wallet signs for all of it. */
export function namespaceOf(network: string): string {
  return network.replace(/:.*/, '');
}

/** USDC on each network that a wallet of this program pays on. Pinned: no server and no node adds to it. */
export const USDC_ADDRESSES = {
  [SOLANA_MAINNET]: USDC_MINT,
  [BASE]: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  [BASE_SEPOLIA]: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
} as const;

/** The public RPC of each network, for users who configure none, and the option that names another. */
export const USUAL_RPCS = {
  [SOLANA_MAINNET]: { url: 'https://api.mainnet-beta.solana.com', option: '--rpc-url' },
  [BASE]: { url: 'https://mainnet.base.org', option: '--base-rpc-url' },
  [BASE_SEPOLIA]: { url: 'https://sepolia.base.org', option: '--base-rpc-url' },
} as const;

/** Networks that a wallet of this program pays on, by the names of options, headers and x402 version 1. */
export const NETWORK_IDS = {
  solana: SOLANA_MAINNET,
  base: BASE,
  'base-sepolia': BASE_SEPOLIA,
} as const;
export type NetworkName = keyof typeof NETWORK_IDS;

/** Whether a text names such a network, in any case. */
export function networkNamed(text: string): NetworkName | undefined {
  const name = text.toLowerCase().replaceAll(' ', '-');
  return Object.hasOwn(NETWORK_IDS, name) ? (name as NetworkName) : undefined;
}

/** The name of a network in options. */
export function networkName(network: string): NetworkName | undefined {
  return networkNamed(networkTitle(network));
}

/** The name of a network for people; its id if it has none. */
export function networkTitle(network: string): string {
  return TITLES[network] ?? network;
}

const TITLES: Readonly<Record<string, string>> = {
  [SOLANA_MAINNET]: 'Solana',
  [BASE]: 'Base',
  [BASE_SEPOLIA]: 'Base Sepolia',
};
