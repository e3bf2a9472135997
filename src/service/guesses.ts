/** How often payments may name an order that is not theirs: codes are cash, and orders could be guessed. */
import type { Refusal, WireErrorCode } from './errors.ts';
import type { RateGate } from './limits.ts';

/** Who sent a payment, and which it is: its transaction is public once it has landed. */
export interface Guesser {
  /** Of the socket; undefined inside a process. */
  readonly address: string | undefined;
  readonly messageHash: string;
}

export interface GuessGate {
  /** Counts a payment that was refused for naming the wrong order; the refusal when they are too many. */
  wrong(guesser: Guesser): Refusal | undefined;
  /** Counts an answer for the buyer's own name of the order alone; the refusal when guesses used them up. */
  named(guesser: Pick<Guesser, 'address'>): Refusal | undefined;
}

/** What a guess at an order is refused with. */
export const WRONG_ORDER: ReadonlySet<WireErrorCode> = new Set([
  'session_required',
  'session_unknown',
  'session_mismatch',
  'body_mismatch',
  'payment_identifier_mismatch',
]);

/**
 * Only refusals are counted, after the payment was looked at: a buyer who shows the session is never
 * locked out by the guesses of others. A gate of its own, since guesses make up many keys.
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
