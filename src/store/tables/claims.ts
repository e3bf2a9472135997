/** Claims of facilitators on messages, and the transactions of fee accounts that settle them. */
import type { Claim, FeeTransaction, Outcome } from '../../domain/payment/claim.ts';
import { type Db, equal, sql } from '../sql.ts';
import { table } from '../table.ts';

/** A claim, and what it cost. */
export interface PaidClaim extends Claim {
  /** CAIP-2 id; null while it is not known. */
  readonly network: string | null;
  /** Network fee in base units; null until the chain was asked, empty where that is not known. */
  readonly fee: string | null;
}

const claims = table<Claim & Partial<PaidClaim>>('claims', 'messageHash');

export function claimsIn(db: Db) {
  const { first, add, select, update } = claims.in(db);
  const byMessage = (messageHash: string) => first({ messageHash });
  return {
    byMessage,
    /** One of those that landed in a transaction. */
    byTransaction: async (transaction: string) =>
      (await first({ transaction })) ?? first({ landedIn: transaction }),
    /** Writes the claim, or returns the one already stored. */
    claim: async (row: Claim) =>
      (await add({ ...row, fee: null })) ? row : ((await byMessage(row.messageHash)) ?? row),
    /** Changes the state from `submitting`; only the first decision counts. Returns the stored claim. */
    decide: async (
      messageHash: string,
      { state, reason, landedIn = null }: Outcome,
    ): Promise<Claim | undefined> =>
      (await db.first(sql<Claim>`
        update claims set state = ${state}, reason = ${reason}, landed_in = ${landedIn}
        where message_hash = ${messageHash} and state = 'submitting' returning *`)) ??
      byMessage(messageHash),
    /** Those made before an instant whose fee the chain was not asked for, oldest first. */
    withoutFee: (beforeMs: number, limit: number) =>
      select(sql`where fee is null and state <> 'submitting' and created_at_ms < ${beforeMs}
        order by created_at_ms limit ${limit}`),
    noteFee: (messageHash: string, paid: Pick<PaidClaim, 'network' | 'fee'>) =>
      update({ messageHash }, paid),
  };
}

/** One for each nonce of an account. */
const feeTransactions = table<FeeTransaction>('feeTransactions', 'messageHash');

export function feeTransactionsIn(db: Db) {
  const { first, select } = feeTransactions.in(db);
  return {
    byMessage: (messageHash: string) => first({ messageHash }),
    /** Those of an account from a nonce on, by nonce. */
    from: (account: string, nonce: number) =>
      select(sql`where account = ${account} and nonce >= ${nonce} order by nonce`),
    /** False if the message, or the nonce of the account, has one already. */
    add: async (row: FeeTransaction) =>
      (await db.changes(sql`${feeTransactions.inserted([row])} on conflict do nothing`)) === 1,
    /** Puts it in the place of the message's other one; false if that is gone, or the nonce is taken. */
    replace: ({ messageHash, account, nonce, transaction, wire }: FeeTransaction, former: number) =>
      db.changesOne(sql`
        update fee_transactions set ${equal({ nonce, transaction, wire }, ', ')}
        where message_hash = ${messageHash} and nonce = ${former} and not exists (
          select 1 from fee_transactions as other
          where other.account = ${account} and other.nonce = ${nonce})`),
  };
}
