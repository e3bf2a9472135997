/** Rails as plain values, for tests that need no chain. */
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import { solanaSignIn } from '../../src/rails/solana/ed25519.ts';
import { recorded } from '../../src/rails/solana/seal.ts';

/** A tag that this rail turns into the nonce; its low five digits are at most 8191. */
export function tagOf(nonce: number): Uint8Array {
  const [high, low] = [Math.floor(nonce / 100_000), nonce % 100_000];
  return Uint8Array.of(low >> 8, low & 0xff, high >> 8, high & 0xff);
}

const unasked = () => Promise.reject(new Error('nobody asks for this'));

/** A rail whose chain knows of nothing, and which signs nothing. */
export function stubRail(over: Partial<PayerRail> = {}): PayerRail {
  return {
    network: SOLANA_MAINNET,
    name: 'Solana',
    isReplayable: false,
    signIn: solanaSignIn,
    usdc: { asset: USDC_MINT, decimals: 6 },
    coin: 'SOL',
    isKeyAddress: () => true,
    recipientAccount: (payTo) => `account-of-${payTo}`,
    asset: () => undefined,
    balances: async (address) => ({ address, coinAtomic: atomic(0n), usdcAtomic: null }),
    requirementChecks: () => [],
    checkRequirement: async () => undefined,
    openingCost: async () => null,
    sign: unasked,
    payload: (payment) => ({ transaction: recorded(payment).transaction }),
    send: unasked,
    isLive: async () => true,
    fate: async () => ({ fate: 'pending' }),
    transactionOf: async () => undefined,
    horizon: async () => ({
      covers: () => true,
      isPast: async () => true,
      recover: () => undefined,
    }),
    ownPayments: async () => ({ payments: [], isWhole: true }),
    outflows: async () => [],
    received: unasked,
    timeMs: async () => null,
    health: async () => ({ nodes: [], timeMs: null }),
    ...over,
  };
}
