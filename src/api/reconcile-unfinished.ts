/** Before a purchase: briefly checks the unfinished purchases at this merchant, and reports them. */

import { unlessInterrupted } from '../domain/attempt.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { type Entry, nextStep } from '../domain/journal/journal.ts';
import { t } from '../domain/message/message.ts';
import type { Merchant } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

/** Time and number limits of that check, so that a new purchase does not wait for old ones. */
const LOOK_MS = 2_000;
const MOST_LOOKS = 3;
/** `recent` with this instant leaves out all final entries, whenever they were signed. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;

/**
 * Finishes unfinished purchases. Signs nothing, and no result or error here stops the new purchase.
 * @param own the new purchase's request, which continues its own unfinished purchase
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
  // Newest first: it is the most likely to be in progress.
  for (const entry of open.toReversed().slice(0, MOST_LOOKS)) {
    const finishing = merchant.finish(entry, { waitMs: LOOK_MS, settleMs: LOOK_MS });
    await finishing.catch(unlessInterrupted(() => undefined));
  }
  deps.progress.done();
  const left = (await journal.recent(ANY_TIME))
    .filter(isAtRisk)
    .filter((entry) => open.some((one) => one.intent.intentId === entry.intent.intentId));
  deps.notify({ kind: 'looked-after', count: open.length, left: left.length });
}
