/** Finds the transaction id of a payment if the merchant did not report it. */

import { type Attempt, type Entry, eventOf } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';

const NAME_TRIES = 3;
const NAME_EVERY_MS = 1_000;

/**
 * Finds the transaction on the chain by the payment's own bytes. The goods have arrived and nothing depends
 * on the id, so errors are ignored.
 */
export async function nameTransaction(
  { rail, journal, clock }: Pick<PurchaseDeps, 'rail' | 'journal' | 'clock'>,
  entry: Entry,
  attempt: Attempt,
): Promise<Entry> {
  const { number } = attempt;
  const isNamed =
    attempt.foundIn !== undefined ||
    eventOf(entry, 'landed', number) !== undefined ||
    eventOf(entry, 'named', number) !== undefined ||
    eventOf(entry, 'accepted', number)?.transaction !== undefined;
  if (isNamed) return entry;
  try {
    for (let tried = 1; tried <= NAME_TRIES; tried += 1) {
      const transaction = await rail.transactionOf(attempt);
      if (transaction !== undefined) {
        const event = { fact: 'named', attempt: number, transaction } as const;
        await journal.addFact(entry.intent, event);
        return { ...entry, facts: [...entry.facts, event] };
      }
      // The RPC node may be behind the one that the merchant asked.
      if (tried < NAME_TRIES) await clock.sleep(NAME_EVERY_MS);
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
  return entry;
}
