/** Locks a cart for one run at a time, across processes, by a mark in the wallet's spend log. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { CART_ATTEMPT, type SpendLog } from '../../domain/spend-log.ts';

/** Age at which a lock expires: this machine cannot check whether a run on another machine has ended. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Holds the lock while `work` runs. A run that died holds no lock.
 * @param name of the cart, the same for every run of it
 * @throws {ScripError} CART_BUSY while another run holds it; JOURNAL_UNUSABLE; what `work` throws
 */
export async function holdCart<T>(
  { log, clock, host }: { readonly log: SpendLog; readonly clock: Clock; readonly host: string },
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const number = await take({ log, clock, host }, `cart ${name}`);
  try {
    return await work();
  } finally {
    await log.release(number);
  }
}

async function take(
  { log, clock, host }: { readonly log: SpendLog; readonly clock: Clock; readonly host: string },
  intentId: string,
): Promise<number> {
  for (;;) {
    const nowMs = clock.now();
    const { last, held } = await log.read(nowMs - FORGOTTEN_AFTER_MS);
    const other = held.find(
      (mark) => mark.intentId === intentId && nowMs - mark.atMs < FORGOTTEN_AFTER_MS,
    );
    if (other !== undefined) throw busy(other.owner.pid);
    const slot = { intentId, attempt: CART_ATTEMPT, number: last + 1 };
    // If another process reserved this number first, check again: it may have locked the cart.
    const isFirst = await log.reserve({ ...slot, merchant: host, amountAtomic: '0', atMs: nowMs });
    if (isFirst) return slot.number;
  }
}

function busy(pid: number): ScripError {
  return new ScripError(
    'CART_BUSY',
    t`This cart is being bought by another run (process ${pid}); nothing was sent`,
    { details: { pid } },
  );
}
