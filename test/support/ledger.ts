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
  /** USDC that each transaction brought to the owner. */
  credits(owner: string): Promise<ReadonlyMap<string, bigint>>;
}

/** Transfer(from, to, value) of any token (ERC-20). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BALANCE_OF = '0x70a08231';
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

/** The same of USDC on Base, by its events and its state, as they stand on the chain. */
export function baseLedgerAt(rpcUrl: string): Pick<Ledger, 'payments' | 'balance' | 'credits'> {
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const { result, error } = Object(
      await (await fetch(rpcUrl, { method: 'POST', headers, body })).json(),
    );
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const wordOf = (owner: string) => owner.slice(2).toLowerCase().padStart(64, '0');
  const transfers = async (
    ...parties: readonly (string | null)[]
  ): Promise<readonly { readonly transactionHash: string; readonly data: string }[]> =>
    ask('eth_getLogs', {
      ...{ address: BASE_USDC, topics: [TRANSFER, ...parties] },
      ...{ fromBlock: 'earliest', toBlock: 'latest' },
    });
  return {
    async payments(owner) {
      const logs = await transfers(`0x${wordOf(owner)}`);
      return logs.map(({ transactionHash }) => transactionHash).toReversed();
    },
    async credits(owner) {
      const logs = await transfers(null, `0x${wordOf(owner)}`);
      return new Map(logs.map(({ transactionHash, data }) => [transactionHash, BigInt(data)]));
    },
    balance: async (owner) =>
      BigInt(await ask('eth_call', { to: BASE_USDC, data: BALANCE_OF + wordOf(owner) }, 'latest')),
  };
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
  const paidBy = async (owner: string, transaction: string): Promise<bigint> => {
    const found = await connection.getTransaction(transaction, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    const amountIn = (balances: readonly { owner?: string; uiTokenAmount: { amount: string } }[]) =>
      BigInt(balances.find((balance) => balance.owner === owner)?.uiTokenAmount.amount ?? 0);
    const before = amountIn(found?.meta?.preTokenBalances ?? []);
    return before - amountIn(found?.meta?.postTokenBalances ?? []);
  };
  return {
    payments: (owner) => history(accountOf(owner)),
    history: (address) => history(new PublicKey(address)),
    async balance(owner) {
      return (await getAccount(connection, accountOf(owner))).amount;
    },
    paidBy,
    async credits(owner) {
      const transactions = await history(accountOf(owner));
      const paid = await Promise.all(transactions.map((one) => paidBy(owner, one)));
      return new Map(
        transactions.flatMap((one, at) =>
          (paid[at] ?? 0n) < 0n ? [[one, -(paid[at] ?? 0n)]] : [],
        ),
      );
    },
  };
}
