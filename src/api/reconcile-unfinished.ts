/** Before a purchase: briefly checks the unfinished purchases at this merchant, and reports them. */

import { canonicalJson } from '../domain/canonical-json.ts';
import { ScripError } from '../domain/errors.ts';
import { type Entry, nextStep } from '../domain/journal.ts';
import { t } from '../domain/message.ts';
import type { Merchant } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

/** The time and number limits of that check, so that a new purchase does not wait for old ones. */
const LOOK_MS = 2_000;
const MOST_LOOKS = 3;
/** What is finished needs no look, whenever it was signed. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;

/**
 * Nothing is signed, and nothing that is found out or fails here keeps the purchase from being made.
 * @param own the request of the purchase that is about to be made, which finishes its own
 * @throws {ScripError} INTERRUPTED
 */
export async function reconcileUnfinished(
  deps: Pick<ScripDeps, 'progress' | 'notify'>,
  merchant: Pick<Merchant, 'paying' | 'sells' | 'finish'>,
  own: { readonly body: unknown; readonly key: string | undefined },
): Promise<void> {
  const { journal } = await merchant.paying();
  const body = canonicalJson(own.body);
  const isAtRisk = (entry: Entry) =>
    merchant.sells(entry.intent) && ['settle', 'follow'].includes(nextStep(entry));
  const open = (await journal.recent(ANY_TIME)).filter(
    (entry) => isAtRisk(entry) && entry.intent.key !== own.key && entry.intent.body !== body,
  );
  if (open.length === 0) return;
  deps.progress.step(t`Checking unfinished purchases: ${open.length}`);
  // Newest first: that is the one which may still be under way.
  for (const entry of open.toReversed().slice(0, MOST_LOOKS)) {
    await quietly(() => merchant.finish(entry, { waitMs: LOOK_MS, settleMs: LOOK_MS }));
  }
  deps.progress.done();
  const left = (await journal.recent(ANY_TIME))
    .filter(isAtRisk)
    .filter((entry) => open.some((one) => one.intent.intentId === entry.intent.intentId));
  deps.notify({ kind: 'looked-after', count: open.length, left: left.length });
}

async function quietly(look: () => Promise<unknown>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
  }
}
