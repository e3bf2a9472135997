/** The judge of the end-to-end tests: the chain's own records, read through public libraries. */
import { getAccount, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, PublicKey } from '@solana/web3.js';
import type { Fetch } from '../../src/contract/fetch.ts';
import { USDC_MINT } from '../../src/contract/x402.ts';

export interface Ledger {
  /** Transactions that debited this owner's USDC account, newest first. */
  payments(owner: string): Promise<readonly string[]>;
  /** Transactions that name this address, newest first. */
  history(address: string): Promise<readonly string[]>;
  /** USDC in atomic units. */
  balance(owner: string): Promise<bigint>;
  /** USDC that one transaction moved out of the owner's account. */
  paidBy(owner: string, transaction: string): Promise<bigint>;
}

/** @param fetch in the network's place */
export function ledgerAt(rpcUrl: string, fetch?: Fetch): Ledger {
  const own = fetch === undefined ? {} : { fetch: fetch as typeof globalThis.fetch };
  const connection = new Connection(rpcUrl, { commitment: 'confirmed', ...own });
  const mint = new PublicKey(USDC_MINT);
  const accountOf = (owner: string) => getAssociatedTokenAddressSync(mint, new PublicKey(owner));
  const history = async (address: PublicKey) => {
    const found = await connection.getSignaturesForAddress(address);
    return found.filter(({ err }) => err === null).map(({ signature }) => signature);
  };
  return {
    payments: (owner) => history(accountOf(owner)),
    history: (address) => history(new PublicKey(address)),
    async balance(owner) {
      return (await getAccount(connection, accountOf(owner))).amount;
    },
    async paidBy(owner, transaction) {
      const found = await connection.getTransaction(transaction, {
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 0,
      });
      const amountIn = (
        balances: readonly { owner?: string; uiTokenAmount: { amount: string } }[],
      ) => BigInt(balances.find((balance) => balance.owner === owner)?.uiTokenAmount.amount ?? 0);
      const before = amountIn(found?.meta?.preTokenBalances ?? []);
      return before - amountIn(found?.meta?.postTokenBalances ?? []);
    },
  };
}
