/** Transactions of the accounts that pay gas, one for each of their nonces. */
import { type Db, equal, sql } from '../sql.ts';
import { table } from '../table.ts';
import { SINGLE, type WriteOptions } from '../writes.ts';

/** It is stored before it is sent. */
export interface FeeTransactionRow {
  readonly messageHash: string;
  readonly account: string;
  readonly nonce: number;
  readonly transaction: string;
  /** Base64 of the signed bytes. */
  readonly wire: string;
  readonly createdAtMs: number;
}

const feeTransactions = table<FeeTransactionRow>('feeTransactions', 'messageHash');

export function feeTransactionsIn(db: Db) {
  const { first, select } = feeTransactions.in(db);
  return {
    byMessage: (messageHash: string) => first({ messageHash }),
    /** Those of an account from a nonce on, by nonce. */
    from: (account: string, nonce: number) =>
      select(sql`where account = ${account} and nonce >= ${nonce} order by nonce`),
    /** False if the message, or the nonce of the account, has one already. */
    add: async (row: FeeTransactionRow) =>
      (await db.changes(sql`${feeTransactions.inserted([row])} on conflict do nothing`)) === 1,
    /** Puts it in the place of the message's other one; false if that is gone, or the nonce is taken. */
    replace: (
      { messageHash, account, nonce, transaction, wire }: FeeTransactionRow,
      former: number,
    ) =>
      db.changesOne(sql`
        update fee_transactions set ${equal({ nonce, transaction, wire }, ', ')}
        where message_hash = ${messageHash} and nonce = ${former} and not exists (
          select 1 from fee_transactions as other
          where other.account = ${account} and other.nonce = ${nonce})`),
  };
}

type FeeTransactions = ReturnType<typeof feeTransactionsIn>;

/** What a store offers here. */
interface FeeTransactionWrites {
  readonly tables: { readonly feeTransactions: FeeTransactions };
  write<T>(
    work: (tables: { readonly feeTransactions: FeeTransactions }) => Promise<T>,
    options: WriteOptions,
  ): Promise<T>;
}

/** Those of a store, each change in a write of its own. */
export function feeTransactionsOf(store: FeeTransactionWrites): FeeTransactions {
  const { byMessage, from } = store.tables.feeTransactions;
  return {
    byMessage,
    from,
    add: (row) => store.write(({ feeTransactions: own }) => own.add(row), SINGLE),
    replace: (row, former) =>
      store.write(({ feeTransactions: own }) => own.replace(row, former), SINGLE),
  };
}
