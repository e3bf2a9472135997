/** Default amounts for funding a sandbox wallet, as decimals. */
export const PLAY_MONEY = { usdc: '100', sol: '1' } as const;
