/** The facilitator's claims on messages that are to land on a chain. */

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

export interface Claims {
  /** Writes the claim, or returns the one that is there already. */
  claim(row: ClaimRow): Promise<ClaimRow>;
  byMessage(messageHash: string): Promise<ClaimRow | undefined>;
  /** Moves on from `submitting`; the first decision stands. */
  decide(messageHash: string, state: ClaimRow['state'], reason: string | null): Promise<void>;
}
