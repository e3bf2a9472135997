/** What a wallet of the sandbox is given where no amounts are named; decimals. */
export const PLAY_MONEY = { usdc: '100', sol: '1' } as const;
