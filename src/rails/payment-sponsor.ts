/** The port for payments that a buyer's wallet signs and sends while our fee payer pays the network fee. */

import type { Atomic } from '../domain/money.ts';

/** What is to be paid; the buyer names nothing but its own account. */
export interface SponsoredOrder {
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  /** Key by which the payment is found on the chain. */
  readonly reference: string;
}

/** A payment that our fee payer has signed and the buyer has not. */
export interface SponsoredPayment {
  readonly messageHash: string;
  /** Id that the transaction has on the chain. */
  readonly transaction: string;
  /** Standard base64 of the wire transaction; the buyer's signature is missing. */
  readonly wire: string;
  readonly lamports: bigint;
  readonly lastValidBlockHeight: number;
}

/** Why nothing is signed for an account. */
export type SponsorRefusal = 'not_an_account' | 'blocked' | 'would_fail';

/** `live`: it may still land, or has landed and is not final. */
export type SponsoredFate = 'live' | 'landed' | 'failed' | 'expired';

export interface PaymentSponsor {
  /** Whether it pays the fee of this coin on this network. */
  covers(means: { readonly coin: string; readonly network: string | null }): boolean;
  /**
   * Builds a message of its own, simulates it and signs it; it sends nothing.
   * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE when the fee payer has too little
   */
  prepare(account: string, order: SponsoredOrder): Promise<SponsoredPayment | SponsorRefusal>;
  /**
   * A payment that failed on the chain counts against its account.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  fate(
    payment: Pick<SponsoredPayment, 'messageHash' | 'transaction' | 'lastValidBlockHeight'> & {
      readonly account: string;
    },
  ): Promise<SponsoredFate>;
}
