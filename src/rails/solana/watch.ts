/** Finds payments to an order's own address on Solana: its USDC account, or its SOL. */
import { atomic } from '../../domain/money.ts';
import type { PaymentWatch, Receipts } from '../payment-watch.ts';
import { associatedTokenAddress } from './address.ts';
import { creditsTo } from './credits.ts';
import type { SolanaRpc } from './rpc.ts';
import { readTokenAccount } from './token-account.ts';

export interface WatchOptions {
  readonly rpc: SolanaRpc;
  /** Mint of each watched token, by ticker; `SOL` needs none. */
  readonly mints: Readonly<Record<string, string>>;
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
export function createSolanaWatch({ rpc, mints }: WatchOptions): PaymentWatch {
  return {
    received: async ({ address, coin }) => {
      if (address === null) return NOTHING;
      const mint = Object.hasOwn(mints, coin) ? mints[coin] : undefined;
      if (mint === undefined && coin !== 'SOL') return NOTHING;
      const account = mint === undefined ? address : associatedTokenAddress(address, mint);
      const seenAtomic = await balanceOf(rpc, account, mint);
      if (seenAtomic === 0n) return NOTHING;
      const credits = await creditsTo(rpc, account, mint);
      const confirmedAtomic = credits.reduce((sum, credit) => sum + credit.amountAtomic, 0n);
      return {
        confirmedAtomic: atomic(confirmedAtomic),
        seenAtomic: atomic(seenAtomic > confirmedAtomic ? seenAtomic : confirmedAtomic),
        transactions: credits.map(({ signature }) => signature),
      };
    },
  };
}

/** Reads the balance at the tip of the chain; without a mint, the account's lamports. */
async function balanceOf(rpc: SolanaRpc, account: string, mint: string | undefined) {
  const info = await rpc.accountInfo(account, 'processed');
  if (mint === undefined) return info?.lamports ?? 0n;
  return (info && readTokenAccount(info)?.amount) ?? 0n;
}
