/** Payments to an owner of their own on Solana: its USDC account, or its SOL. */
import { type Atomic, atomic } from '../../domain/money.ts';
import type { PaymentWatch, Receipts } from '../payment-watch.ts';
import { associatedTokenAddress } from './address.ts';
import { asList, asText, field } from './json.ts';
import type { SolanaRpc } from './rpc.ts';
import { readTokenAccount } from './token-account.ts';

type Commitment = 'processed' | 'confirmed';

export interface WatchOptions {
  readonly rpc: SolanaRpc;
  /** Mint of each token that is watched, by the coin's ticker; `SOL` is watched without one. */
  readonly mints: Readonly<Record<string, string>>;
}

const NOTHING: Receipts = {
  confirmedAtomic: atomic(0n),
  seenAtomic: atomic(0n),
  transactions: [],
};

/** Payments that one order can have, and more: each is one line of its history. */
const HISTORY = 100;

/**
 * Watches addresses whose whole balance is the payment, since nothing else is done with them. What
 * is confirmed counts; what is only processed may be on a fork that is given up.
 */
export function createSolanaWatch({ rpc, mints }: WatchOptions): PaymentWatch {
  return {
    received: async ({ address, coin }) => {
      if (address === null) return NOTHING;
      const mint = Object.hasOwn(mints, coin) ? mints[coin] : undefined;
      if (mint === undefined && coin !== 'SOL') return NOTHING;
      const account = mint === undefined ? address : associatedTokenAddress(address, mint);
      const amount = (commitment: Commitment) =>
        mint === undefined
          ? lamportsOf(rpc, account, commitment)
          : tokensOf(rpc, account, commitment);
      // In this order: what is confirmed in between is seen at least.
      const confirmedAtomic = await amount('confirmed');
      const seenAtomic = await amount('processed');
      const hasAny = seenAtomic > 0n || confirmedAtomic > 0n;
      const transactions = hasAny ? await creditsOf(rpc, account) : [];
      // A balance may be told a slot before its transaction: money is counted with its id.
      const isTold = transactions.length > 0;
      return { confirmedAtomic: isTold ? confirmedAtomic : atomic(0n), seenAtomic, transactions };
    },
  };
}

async function lamportsOf(rpc: SolanaRpc, address: string, commitment: Commitment) {
  return atomic((await rpc.accountInfo(address, commitment))?.lamports ?? 0n);
}

async function tokensOf(rpc: SolanaRpc, address: string, commitment: Commitment): Promise<Atomic> {
  const account = await rpc.accountInfo(address, commitment);
  return atomic((account && readTokenAccount(account)?.amount) ?? 0n);
}

/** Successful transactions that name the account, oldest first. */
async function creditsOf(rpc: SolanaRpc, address: string): Promise<readonly string[]> {
  const config = { commitment: 'confirmed', limit: HISTORY };
  const entries = asList(
    await rpc.request('getSignaturesForAddress', [address, config]),
    'a history',
  );
  return entries
    .filter((entry) => (field(entry, 'err') ?? null) === null)
    .map((entry) => asText(field(entry, 'signature'), 'a signature'))
    .reverse();
}
