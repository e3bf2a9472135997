/** Limits payments that name a wrong order: voucher codes are cash, and an attacker could guess orders. */
import type { Refusal, WireErrorCode } from './errors.ts';
import type { RateGate } from './limits.ts';

/** Who sent a payment, and which one: its transaction is public once it has landed. */
export interface Guesser {
  /** Address of the socket; undefined inside a process. */
  readonly address: string | undefined;
  readonly messageHash: string;
}

export interface GuessGate {
  /** Counts a payment refused for naming the wrong order; returns a refusal if there are too many. */
  wrong(guesser: Guesser): Refusal | undefined;
  /**
   * Counts an order found only by the buyer's payment identifier; returns a refusal if guesses used
   * up the limit.
   */
  named(guesser: Pick<Guesser, 'address'>): Refusal | undefined;
}

/** Refusals that count as a guess at an order. */
export const WRONG_ORDER: ReadonlySet<WireErrorCode> = new Set([
  'session_required',
  'session_unknown',
  'session_mismatch',
  'body_mismatch',
  'payment_identifier_mismatch',
  'duplicate_settlement',
]);

/**
 * Counts only refusals, after checking the payment: other people's guesses never lock out a buyer
 * who sends the session. It needs its own rate gate, since guesses create many keys.
 */
export function createGuessGate(gate: RateGate): GuessGate {
  const byAddress = (address: string | undefined): Refusal | undefined =>
    address === undefined ? undefined : gate.take('wrongPaymentsByAddress', address).refusal;
  return {
    wrong: ({ address, messageHash }) => {
      const { refusal } = gate.take('wrongPaymentsByPayment', messageHash);
      return byAddress(address) ?? refusal;
    },
    named: ({ address }) => byAddress(address),
  };
}
