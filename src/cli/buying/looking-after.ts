/** Before a purchase: what an earlier run left open at this host is looked at, for a moment, and told. */

import type { PurchaseDeps } from '../../api/checkout/purchase-deps.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, nextStep } from '../../domain/journal.ts';
import { joined, t } from '../../domain/message.ts';
import type { Context } from '../context.ts';

/** A purchase does not wait for the ones before it: each is asked about for this long, and not more of them. */
const LOOK_MS = 2_000;
const MOST_LOOKS = 3;

/**
 * Nothing is signed, and nothing that is found out or fails here keeps the purchase from being made.
 * @param own the request of the purchase that is about to be made, which finishes its own
 * @throws {ScripError} INTERRUPTED
 */
export async function lookAfterOthers(
  context: Context,
  deps: PurchaseDeps,
  own: { readonly body: unknown; readonly key: string | undefined },
): Promise<void> {
  const body = canonicalJson(own.body);
  const open = (await deps.journal.all()).filter(
    (entry) =>
      isAtRisk(entry, deps.host) && entry.intent.key !== own.key && entry.intent.body !== body,
  );
  if (open.length === 0) return;
  context.io.progress.step(t`Looking after unfinished purchases: ${open.length}`);
  const { resume } = await import('../../api/checkout/pay.ts');
  // Newest first: that is the one which may still be under way.
  for (const entry of open.toReversed().slice(0, MOST_LOOKS)) {
    await quietly(() => resume({ ...deps, waitMs: LOOK_MS, settleMs: LOOK_MS }, entry));
  }
  context.io.progress.done();
  const left = (await deps.journal.all()).filter((entry) => isAtRisk(entry, deps.host));
  say(context, open.length, left.filter((entry) => open.some((one) => isSame(one, entry))).length);
}

/** Money may have moved, and it is not known what came of it. */
function isAtRisk(entry: Entry, host: string): boolean {
  const { intent } = entry;
  return (
    intent.host === host &&
    intent.partner === undefined &&
    ['settle', 'follow'].includes(nextStep(entry))
  );
}

function isSame(one: Entry, other: Entry): boolean {
  return one.intent.intentId === other.intent.intentId;
}

/** In JSON stderr holds one error or nothing: `orders` tells the same. */
function say({ settings, io: { stderr, localize } }: Context, count: number, left: number): void {
  if (settings.isJson) return;
  const done = count - left;
  const parts = [
    ...(done === 0 ? [] : [t`${done} finished now`]),
    ...(left === 0 ? [] : [commandText`${left} still open; run scrip orders resume`]),
  ];
  stderr.write(`${localize(t`Of earlier purchases that were unfinished: ${joined(parts)}`)}\n`);
}

async function quietly(look: () => Promise<unknown>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
  }
}
