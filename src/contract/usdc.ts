/** What is paid with, and where: constants alone, so that naming them loads no schema. */

/** CAIP-2 id of Solana mainnet: the first 32 characters of its genesis hash. */
/** Of the Solana Foundation; for users who name no RPC of their own. */
export const MAINNET_RPC_URL = 'https://api.mainnet-beta.solana.com';
export const SOLANA_MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
/** USDC on Solana mainnet. */
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDC_DECIMALS = 6;
