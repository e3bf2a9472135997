/** The ports of the side that is paid: its rail and x402's facilitator. */

import type {
  PaymentPayload,
  PaymentRequirement,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '../contract/x402.ts';
import type { Atomic } from '../domain/money.ts';

/** What a payment commits to, read from its signed bytes. */
export interface PaymentFacts {
  readonly messageHash: string;
  readonly payer: string;
  /** Token account that pays. */
  readonly source: string;
}

/** The merchant's side of a rail. */
export interface MerchantRail {
  readonly network: string;
  /** Address that all sessions are paid to; undefined where each has one of its own. */
  readonly payTo?: string | undefined;
  /** Creates the requirement of a session. `destination` is the token account that it is paid to. */
  requirement(input: {
    readonly amountAtomic: Atomic;
    readonly description: string;
  }): Promise<{ readonly requirement: PaymentRequirement; readonly destination: string }>;
  /** Reads a payment. @throws {ScripError} PAYMENT_MALFORMED */
  inspect(payload: PaymentPayload): PaymentFacts;
}

/** x402's facilitator: embedded, or remote over HTTP with the same three calls. */
export interface Facilitator {
  supported(): Promise<SupportedResponse>;
  verify(payload: PaymentPayload, requirement: PaymentRequirement): Promise<VerifyResponse>;
  /**
   * Settles a message at most once, however often it is called. `errorReason` `settlement_pending`
   * with a transaction means sent but undecided: call again, never treat it as unpaid.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  settle(
    payload: PaymentPayload,
    requirement: PaymentRequirement,
    options?: SettleOptions,
  ): Promise<SettleResponse>;
  /**
   * Checks that the fee payer can pay a fee now; called before a payment is requested.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE
   */
  checkFunds(): Promise<void>;
}

export interface SettleOptions {
  /** Stops following a message that is sent but undecided. */
  readonly signal?: AbortSignal | undefined;
  /** When the payment was put on record: it was not on the chain before. */
  readonly sinceMs?: number | undefined;
}
