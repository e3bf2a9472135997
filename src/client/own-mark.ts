/**
 * Every payment carries a mark of its idempotency key in its compute budget, which this wallet alone
 * can make and find again: a journal that was lost does not make a key pay twice (reliability 2.5, C23).
 */
import { PAYMENT_IDENTIFIER } from '../contract/x402.ts';
import { type Entry, factOf, type Intent, lastAttempt } from '../domain/journal.ts';
import type { OwnPayment, RailInsight } from '../rails/rail.ts';
import type { Vault } from '../wallet/vault.ts';
import { isRecovered } from './recovered-key.ts';

/** As many as a purchase signs at most, and those of runs before it. */
const MARKED_ATTEMPTS = 9;
/** Payments that no record knows, read one by one; a wallet that is busy elsewhere has more. */
const MOST_READS = 200;
/** Low digits of a nonce raise the price of a unit, high ones the units: both stay small. */
const NONCE_STRIDE = 100_000;

/**
 * The nonce of an attempt, of 27 bits: two keys have the same one in 134 million. It also makes equal
 * payments of one wallet in one block differ, where a merchant has one address for all orders (1.3).
 */
export function markedNonce(vault: Vault, { key }: Pick<Intent, 'key'>, attempt: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = vault.mark(`${key}\n${attempt}`);
  const low = ((first << 8) | second) & 0x1fff;
  const high = ((third << 8) | fourth) & 0x3fff;
  return high * NONCE_STRIDE + low;
}

/**
 * The name under which a host keeps the order of a key (x402 extension `payment-identifier`): this
 * wallet alone can make it, the same on any machine, and whoever has it may ask for the order.
 */
export function paymentIdOf(vault: Vault, { host, key }: Pick<Intent, 'host' | 'key'>): string {
  // In brackets, so that no key makes the text of a nonce's mark.
  const mark = vault.mark(JSON.stringify([PAYMENT_IDENTIFIER, host, key]));
  return `scrip_${[...mark].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A payment of this key that landed and that the journal knows nothing of. */
export interface Forgotten {
  readonly payment: OwnPayment;
  readonly number: number;
}

/**
 * Looks through the wallet's own finalized history before a key is used that this journal has not seen.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function findForgotten(
  { vault, insight }: { readonly vault: Vault; readonly insight: RailInsight },
  entry: Entry,
  others: readonly Entry[],
): Promise<Forgotten | undefined> {
  // What a repair could not explain may be explained by this key.
  const explained = others.filter(({ intent }) => !isRecovered(intent));
  const known = new Set(explained.flatMap(transactionsOf));
  const { payer } = entry.intent;
  const { payments } = await insight.ownPayments(payer, { known, mostReads: MOST_READS });
  const hashes = new Set(
    explained.flatMap(({ attempts }) => attempts.map((one) => one.messageHash)),
  );
  const marks = new Map(
    Array.from({ length: MARKED_ATTEMPTS }, (_, index) => index + 1).map((number) => [
      markedNonce(vault, entry.intent, number),
      number,
    ]),
  );
  for (const payment of payments) {
    const number = payment.nonce === undefined ? undefined : marks.get(payment.nonce);
    const isFacilitated = payment.feePayer !== payer;
    if (number !== undefined && isFacilitated && !hashes.has(payment.signed.messageHash)) {
      return { payment, number };
    }
  }
  return undefined;
}

function transactionsOf(entry: Entry): readonly string[] {
  const number = lastAttempt(entry)?.number;
  const landed = factOf(entry, 'landed', number)?.transaction;
  return landed === undefined ? [] : [landed];
}
