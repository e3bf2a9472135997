/** Finds payments to an order's own address on Solana: its USDC account, or its SOL. */
import { atomic } from '../../domain/money.ts';
import type { PaymentWatch, Receipts } from '../payment-watch.ts';
import { associatedTokenAddress } from './address.ts';
import { type Credit, creditsTo } from './credits.ts';
import type { SolanaRpc } from './rpc.ts';
import { readTokenAccount } from './token-account.ts';

export interface WatchOptions {
  readonly rpc: SolanaRpc;
  /** Mint of each watched token, by ticker; `SOL` needs none. */
  readonly mints: Readonly<Record<string, string>>;
  /** From this sum on, in atomic units, only finalized credits count; without it confirmed ones always do. */
  readonly finalFromAtomic?: bigint | undefined;
  /**
   * Returns the last transaction of an address before its order; undefined if only this order uses
   * the address.
   */
  since?(address: string): Promise<string | undefined>;
}

const NOTHING: Receipts = {
  confirmedAtomic: atomic(0n),
  seenAtomic: atomic(0n),
  transactions: [],
};

/**
 * Watches addresses that only receive payments. Confirmed transactions count, by their ids: a node
 * may show a balance before its transaction. A processed balance may be on an abandoned fork, so it
 * is seen but not counted.
 */
export function createSolanaWatch(options: WatchOptions): PaymentWatch {
  const { rpc, mints, finalFromAtomic } = options;
  return {
    received: async ({ address, coin }) => {
      if (address === null) return NOTHING;
      const mint = Object.hasOwn(mints, coin) ? mints[coin] : undefined;
      if (mint === undefined && coin !== 'SOL') return NOTHING;
      const account = mint === undefined ? address : associatedTokenAddress(address, mint);
      const seenAtomic = await balanceOf(rpc, account, mint);
      if (seenAtomic === 0n) return NOTHING;
      const until = await options.since?.(address);
      const credits = await creditsTo(rpc, account, { mint, until });
      const isLarge = finalFromAtomic !== undefined && sumOf(credits) >= finalFromAtomic;
      const counted = isLarge ? credits.filter(({ isFinal }) => isFinal) : credits;
      const confirmedAtomic = sumOf(counted);
      return {
        confirmedAtomic: atomic(confirmedAtomic),
        seenAtomic: atomic(seenAtomic > confirmedAtomic ? seenAtomic : confirmedAtomic),
        transactions: counted.map(({ signature }) => signature),
      };
    },
  };
}

function sumOf(credits: readonly Credit[]): bigint {
  return credits.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}

/** Reads the balance at the tip of the chain; without a mint, the account's lamports. */
async function balanceOf(rpc: SolanaRpc, account: string, mint: string | undefined) {
  const info = await rpc.accountInfo(account, 'processed');
  if (mint === undefined) return info?.lamports ?? 0n;
  return (info && readTokenAccount(info)?.amount) ?? 0n;
}
