/** The facilitator's claims on messages. */
import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';
import { SINGLE, type WriteOptions } from '../writes.ts';

/** The facilitator's claim on a message: stored before the countersigned bytes are sent. */
export interface ClaimRow {
  readonly messageHash: string;
  readonly transaction: string;
  /** Id on the chain, where `transaction` is not it. */
  readonly landedIn?: string | null;
  /** Base64 of the fully signed wire transaction. */
  readonly wire: string;
  /** Until when it can land, in its rail's terms. */
  readonly validUntil: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
}

const claims = table<ClaimRow>('claims', 'messageHash');

export function claimsIn(db: Db) {
  const { first, add } = claims.in(db);
  const byMessage = (messageHash: string) => first({ messageHash });
  return {
    byMessage,
    /** One of those that landed in a transaction. */
    byTransaction: async (transaction: string) =>
      (await first({ transaction })) ?? first({ landedIn: transaction }),
    /** Writes the claim, or returns the one already stored. */
    claim: async (row: ClaimRow) =>
      (await add(row)) ? row : ((await byMessage(row.messageHash)) ?? row),
    /** Changes the state from `submitting`; only the first decision counts. Returns the stored claim. */
    decide: async (
      messageHash: string,
      { state, reason, landedIn = null }: Pick<ClaimRow, 'state' | 'reason' | 'landedIn'>,
    ): Promise<ClaimRow | undefined> =>
      (await db.first(sql<ClaimRow>`
        update claims set state = ${state}, reason = ${reason}, landed_in = ${landedIn}
        where message_hash = ${messageHash} and state = 'submitting' returning *`)) ??
      byMessage(messageHash),
  };
}

type Claims = ReturnType<typeof claimsIn>;

/** What a store offers here. */
interface ClaimWrites {
  readonly tables: { readonly claims: Claims };
  write<T>(
    work: (tables: { readonly claims: Claims }) => Promise<T>,
    options: WriteOptions,
  ): Promise<T>;
}

/** The claims of a store, each change in a write of its own: such writes share their wait for the disk. */
export function claimsOf(store: ClaimWrites): Claims {
  return {
    byMessage: (messageHash) => store.tables.claims.byMessage(messageHash),
    byTransaction: (transaction) => store.tables.claims.byTransaction(transaction),
    claim: (row) => store.write(({ claims }) => claims.claim(row), SINGLE),
    decide: (messageHash, outcome) =>
      store.write(({ claims }) => claims.decide(messageHash, outcome), SINGLE),
  };
}
