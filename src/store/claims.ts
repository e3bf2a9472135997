/** The facilitator's claims on messages. */

import { SINGLE, type WriteOptions } from './write-options.ts';

/** The facilitator's claim on a message: stored before the countersigned bytes are sent. */
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

export interface Claims {
  /** Writes the claim, or returns the one already stored. */
  claim(row: ClaimRow): Promise<ClaimRow>;
  byMessage(messageHash: string): Promise<ClaimRow | undefined>;
  byTransaction(transaction: string): Promise<ClaimRow | undefined>;
  /** Changes the state from `submitting`; only the first decision counts. Returns the stored claim. */
  decide(
    messageHash: string,
    state: ClaimRow['state'],
    reason: string | null,
  ): Promise<ClaimRow | undefined>;
}

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
    decide: (messageHash, state, reason) =>
      store.write(({ claims }) => claims.decide(messageHash, state, reason), SINGLE),
  };
}
