/** Partner API orders in the journal: their creation, and the transfers signed for them. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import type { JournalEvent } from '../../domain/journal/journal.ts';
import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  type Journal,
} from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic, parseAtomic } from '../../domain/money/money.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import { readPartnerOrder as readOrder } from '../checkout/order-form.ts';
import type { LivePayment } from '../payment/pay-loop.ts';

/** Everything that this wallet did for one order. */
export interface OrderJournal {
  /** The entry of the creation; undefined when the order was created elsewhere. */
  readonly main: Entry | undefined;
  readonly topUps: readonly Entry[];
  readonly created: WirePartnerOrder | undefined;
  /** Sums of the finalized transfers, and of those that may still land, in units of the coin. */
  readonly landedAtomic: Atomic;
  readonly liveAtomic: Atomic;
}

/** Collects the entries of an order. @param host the merchant's name in the journal */
export async function readOrderJournal(
  journal: Journal,
  host: string,
  orderId: string,
): Promise<OrderJournal> {
  const isMain = (entry: Entry) =>
    entry.intent.host === host && eventOf(entry, 'created')?.orderId === orderId;
  // `recent` always includes further payments; only the order's own entry may be final, and so missing.
  const recent = await journal.recent(Number.MAX_SAFE_INTEGER);
  const read = recent.some(isMain) ? recent : await journal.all();
  const entries = read.filter(({ intent }) => intent.host === host);
  const main = entries.find(isMain);
  const topUps = entries.filter(({ intent }) => intent.partner?.topUpOf === orderId);
  const transfers = transfersOf({ main, topUps });
  return {
    main,
    topUps,
    created: main === undefined ? undefined : createdOrder(main),
    landedAtomic: sum(transfers.filter(isLanded)),
    liveAtomic: sum(transfers.filter((transfer) => !isLanded(transfer))),
  };
}

/**
 * Returns the transfer that may still land, if any: there is at most one, since a new one needs proof that
 * the last is dead or final.
 */
export function liveTransfer(orderJournal: OrderJournal): LivePayment | undefined {
  return transfersOf(orderJournal).find((transfer) => !isLanded(transfer));
}

/** Returns the ids of the finalized transfers, oldest first. */
export function landedTransactions(orderJournal: OrderJournal): readonly string[] {
  return transfersOf(orderJournal).flatMap(
    ({ entry, attempt }) => eventOf(entry, 'landed', attempt.number)?.transaction ?? [],
  );
}

/** Returns when the last finalized transfer was signed; undefined if there is none. */
export function lastPaidAtMs(orderJournal: OrderJournal): number | undefined {
  const times = transfersOf(orderJournal)
    .filter(isLanded)
    .map(({ attempt }) => attempt.createdAtMs);
  return times.length === 0 ? undefined : Math.max(...times);
}

function transfersOf({ main, topUps }: Pick<OrderJournal, 'main' | 'topUps'>) {
  return [...(main === undefined ? [] : [main]), ...topUps].flatMap((entry): LivePayment[] => {
    const attempt = currentAttempt(entry);
    return attempt === undefined ? [] : [{ entry, attempt }];
  });
}

function isLanded({ entry, attempt }: LivePayment): boolean {
  return eventOf(entry, 'landed', attempt.number) !== undefined;
}

function sum(transfers: readonly LivePayment[]): Atomic {
  return atomic(
    transfers.reduce((total, { attempt }) => total + parseAtomic(attempt.amountAtomic), 0n),
  );
}

/** Returns the journaled reply to the creation. @throws {ScripError} JOURNAL_UNUSABLE */
export function createdOrder(entry: Entry): WirePartnerOrder | undefined {
  const event = eventOf(entry, 'created');
  return event === undefined ? undefined : readPartnerOrder(event.order);
}

/** Parses an order from the journal. @throws {ScripError} JOURNAL_UNUSABLE */
export function readPartnerOrder(text: string): WirePartnerOrder {
  const reading = readOrder(text);
  if (reading.isValid) return reading.value;
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`The order of a record is not readable: ${reading.problem}`,
  );
}

/**
 * Returns the entry for the next transfer: the order's own until its transfer has landed, then one per
 * further payment. Two processes choose the same entry.
 */
export async function entryForTransfer(
  journal: Journal,
  orderJournal: OrderJournal,
  draft: { readonly amountAtomic: Atomic; readonly nowMs: number },
): Promise<Entry> {
  const { main, topUps } = orderJournal;
  if (main === undefined)
    throw new ScripError('INTERNAL', verbatim('There is no entry to pay from'));
  const isOpen = (entry: Entry) => eventOf(entry, 'landed') === undefined;
  if (isOpen(main)) return main;
  const open = topUps.find(isOpen);
  if (open !== undefined) return open;
  const { intent } = main;
  const orderId = eventOf(main, 'created')?.orderId ?? '';
  const number = topUps.length + 1;
  return journal.open({
    ...intent,
    intentId: `${intent.intentId}-${number}`,
    key: `${intent.key} top-up ${number}`,
    body: JSON.stringify({ order_id: orderId, top_up: number }),
    capAtomic: draft.amountAtomic.toString(),
    quotedAtomic: draft.amountAtomic.toString(),
    createdAtMs: draft.nowMs,
    partner: intent.partner && { ...intent.partner, topUpOf: orderId },
  });
}

/** Returns the fields that an attempt records of a transfer besides the signed bytes. */
export function transferTerms(
  { order_id, coin, network }: Pick<WirePartnerOrder, 'order_id' | 'coin' | 'network'>,
  paid: { readonly amountAtomic: Atomic; readonly asset: string; readonly payTo: string },
): Pick<Attempt, 'header' | 'sessionId' | 'requirement' | 'amountAtomic' | 'asset' | 'payTo'> {
  return {
    header: '',
    sessionId: null,
    requirement: JSON.stringify({ order_id, coin, network }),
    amountAtomic: paid.amountAtomic.toString(),
    asset: paid.asset,
    payTo: paid.payTo,
  };
}

/** Redemption data as it is stored; empty when no wallet encrypts them: the merchant still has them. */
export type SealedCodes = Pick<Extract<JournalEvent, { fact: 'goods' }>, 'sealed' | 'wallet'>;

/**
 * Stores the encrypted goods of a delivered order, or closes an order that ended without goods, unless a
 * transfer may still land. Ignores disk errors, because the order can be read again.
 */
export async function recordEnd(
  journal: Journal,
  seal: (plain: string) => Promise<SealedCodes>,
  { main, liveAtomic }: OrderJournal,
  order: WirePartnerOrder,
): Promise<void> {
  if (main === undefined || eventOf(main, 'goods') !== undefined) return;
  const states = { orderState: order.order_state, paymentState: order.payment_state };
  try {
    if (order.order_state === 'Done' || order.order_state === 'Completed') {
      const goods = await seal(JSON.stringify(order));
      const event = { fact: 'goods', attempt: 0, status: 'completed' } as const;
      await journal.addFact(main.intent, { ...event, ...goods });
    } else if (isTerminal(states) && liveAtomic === 0n) {
      const isRefund = eventOf(main, 'closed') !== undefined && order.order_state === 'Refunded';
      const closed = { fact: 'closed', reason: order.order_state } as const;
      await journal.addFact(main.intent, isRefund ? { fact: 'refunded' } : closed);
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}
