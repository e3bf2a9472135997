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
