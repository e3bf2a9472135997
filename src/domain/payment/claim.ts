/** Promises to move money, as they are stored before anything of them is sent. */

export interface Claim {
  readonly messageHash: string;
  /** Id that the transaction has on the chain; the message hash where it is not known before it landed. */
  readonly transaction: string;
  /** The id then, once it landed. */
  readonly landedIn?: string | null;
  /** Base64 of what was signed. */
  readonly wire: string;
  /** Until when it can land, in the rail's own terms. */
  readonly validUntil: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
  /** What it moves to the treasury, in atomic units of USDC. */
  readonly swept?: string | null;
}

/** The final state of a claim; nothing read later changes it. */
export type Outcome = Pick<Claim, 'state' | 'reason' | 'landedIn'>;

/** A transaction of an account that pays gas. */
export interface FeeTransaction {
  readonly account: string;
  readonly nonce: number;
  /** The claim that it settles; each has one transaction. */
  readonly messageHash: string;
  /** Its id on the chain. */
  readonly transaction: string;
  /** Base64 of the signed bytes. */
  readonly wire: string;
  readonly createdAtMs: number;
}
