/** The embedded chain, and the facilitator's claims on messages that are to land on one. */

/** The facilitator's claim on a message: written before the countersigned bytes are sent. */
export interface ClaimRow {
  readonly messageHash: string;
  readonly transaction: string;
  /** Base64 of the fully signed wire transaction. */
  readonly wire: string;
  readonly lastValidBlockHeight: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
}

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

export interface NumberedTransaction extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

export interface Claims {
  /** Writes the claim, or returns the one that is there already. */
  claim(row: ClaimRow): Promise<ClaimRow>;
  byMessage(messageHash: string): Promise<ClaimRow | undefined>;
  /** Moves on from `submitting`; the first decision stands. */
  decide(messageHash: string, state: ClaimRow['state'], reason: string | null): Promise<void>;
}

export interface ChainRecords {
  account(address: string): Promise<ChainAccountRow | undefined>;
  accounts(addresses: readonly string[]): Promise<readonly ChainAccountRow[]>;
  ownedBy(program: string): Promise<readonly ChainAccountRow[]>;
  putAccount(row: ChainAccountRow): Promise<void>;
  removeAccount(address: string): Promise<void>;
  /** Records an executed transaction and, newest first, which accounts it named. */
  putTransaction(row: ChainTransactionRow, addresses: readonly string[]): Promise<void>;
  transaction(signature: string): Promise<ChainTransactionRow | undefined>;
  transactionByMessage(messageHash: string): Promise<ChainTransactionRow | undefined>;
  /** Newest first, none above `maxSlot`; `before` and `until` are signatures, both exclusive. */
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
}
