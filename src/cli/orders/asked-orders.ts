/** Orders of the partner API, asked for again at their merchant: they may be paid from elsewhere. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { openOrders } from '../../domain/order/open-order.ts';
import type { BuyerContext } from '../context.ts';
import { readLedger } from './ledger.ts';
import { atSeller } from './order-meant.ts';

/** The newest are asked for; more would keep a list waiting. */
const MOST_ASKED = 24;
const ASKED_AT_ONCE = 8;

/**
 * Reads the ledger, with its open partner orders as their merchants say; journals the ends of those.
 * @returns also what was told of them, by intent id, and how many were not asked for, or had no answer
 */
export async function askedLedger(context: BuyerContext) {
  const ledger = await readLedger(context);
  const open = new Set(openOrders(ledger.entries).orders.map(({ intent }) => intent.intentId));
  const entries = ledger.entries.filter(
    ({ intent }) => intent.partner !== undefined && open.has(intent.intentId),
  );
  const told = new Map<string, WirePartnerOrder>();
  if (entries.length === 0) return { ...ledger, told, unasked: 0 };
  const { progress } = context.io;
  progress.step(t`Asking the merchant about open orders`, { isSafe: true });
  const newest = entries.slice(-MOST_ASKED);
  for (let at = 0; at < newest.length; at += ASKED_AT_ONCE) {
    const known = told.size;
    await Promise.all(
      newest.slice(at, at + ASKED_AT_ONCE).map(async (entry) => {
        const order = await orderAtMerchant(context, entry);
        if (order !== undefined) told.set(entry.intent.intentId, order);
      }),
    );
    // The rest is not waited for where no merchant answers.
    if (told.size === known) break;
  }
  progress.done();
  return { ...(await readLedger(context)), told, unasked: entries.length - told.size };
}

export function unaskedNotes(unasked: number): readonly Message[] {
  if (unasked === 0) return [];
  return [
    commandText`Not asked for at their merchant, or without an answer: ${unasked}. Before you pay one, run: scrip track <order_id>`,
  ];
}

/** The order as its merchant tells it; undefined if it is elsewhere or does not answer. */
export async function orderAtMerchant(
  context: BuyerContext,
  entry: Entry,
): Promise<WirePartnerOrder | undefined> {
  const seller = await atSeller(context, entry);
  if (seller === undefined) return undefined;
  const { partnerMerchant } = await import('../../api/partner/merchant.ts');
  return partnerMerchant(seller.deps)
    .read(seller.orderId, { isBrief: true })
    .catch(unlessInterrupted(() => undefined));
}
