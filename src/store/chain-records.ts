/** The embedded chain's records, in a store of their own; a shop reads them only through RPC. */
import type { Page } from './books.ts';
import type { Facts, StoreOf } from './store.ts';

export interface ChainAccountRow {
  readonly address: string;
  /** Decimal digits. */
  readonly lamports: string;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface ChainTransactionRow {
  /** The fee payer's signature, base58: the transaction id. */
  readonly signature: string;
  readonly messageHash: string;
  readonly slot: number;
  readonly blockTimeMs: number;
  /** JSON of the transaction error, or null. */
  readonly error: string | null;
  readonly wire: Uint8Array;
  /** JSON of { fee, logs, computeUnits, accounts, preBalances, postBalances, preTokenBalances, postTokenBalances }. */
  readonly meta: string;
}

export type ChainOutcome = Pick<ChainTransactionRow, 'slot' | 'error'>;

export interface NumberedTransaction extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

export interface ChainRecords {
  account(address: string): Promise<ChainAccountRow | undefined>;
  accounts(addresses: readonly string[]): Promise<readonly ChainAccountRow[]>;
  ownedBy(program: string): Promise<readonly ChainAccountRow[]>;
  putAccount(...rows: readonly ChainAccountRow[]): Promise<void>;
  /** Puts those accounts that the chain does not have; false if it has one of them. */
  addAccounts(...rows: readonly ChainAccountRow[]): Promise<boolean>;
  removeAccount(address: string): Promise<void>;
  /** Records an executed transaction and the accounts it names. */
  putTransaction(row: ChainTransactionRow, addresses: readonly string[]): Promise<void>;
  transaction(signature: string): Promise<ChainTransactionRow | undefined>;
  /** The part of a transaction that its status needs. */
  outcomeOf(signature: string): Promise<ChainOutcome | undefined>;
  hasMessage(messageHash: string): Promise<boolean>;
  /**
   * Returns transactions, newest first and none above `maxSlot`; `before` and `until` are
   * signatures, both exclusive.
   */
  signaturesOf(
    address: string,
    page: {
      readonly limit: number;
      readonly before?: string | undefined;
      readonly until?: string | undefined;
      readonly maxSlot?: number | undefined;
    },
  ): Promise<readonly ChainTransactionRow[]>;
  transactionCount(): Promise<number>;
  transactionsOfSlot(slot: number): Promise<readonly ChainTransactionRow[]>;
  /** Returns transactions after this position, oldest first. */
  transactionsAfter(position: number, limit: number): Promise<readonly NumberedTransaction[]>;
  /** Reads the whole ledger in pages, by position. */
  transactions(page: Page<number>): Promise<readonly NumberedTransaction[]>;
}

export interface ChainTables {
  readonly chain: ChainRecords;
  readonly facts: Facts;
}

/** Each execution is one write, and writes run one at a time. */
export type ChainStore = StoreOf<ChainTables>;
