/** The token and network of payments: only constants, so importing them loads no schema. */

/** The Solana Foundation's public RPC, for users who configure none. */
export const MAINNET_RPC_URL = 'https://api.mainnet-beta.solana.com';

/** CAIP-2 id of Solana mainnet: the first 32 characters of its genesis hash. */
export const SOLANA_MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
/** USDC on Solana mainnet. */
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDC_DECIMALS = 6;

/** CAIP-2 ids of Base and of its test network. */
export const BASE = 'eip155:8453';
export const BASE_SEPOLIA = 'eip155:84532';

/** Public RPCs of Base, for users who configure none. */
export const BASE_RPC_URLS = {
  [BASE]: 'https://mainnet.base.org',
  [BASE_SEPOLIA]: 'https://sepolia.base.org',
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
