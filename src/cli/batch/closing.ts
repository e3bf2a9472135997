/** The result of a cart: the list of its lines, and a summary. */

import { commandText } from '../../domain/command-text.ts';
import { type FundsAtRisk, ScripError } from '../../domain/errors.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import type { Atomic } from '../../domain/money.ts';
import { priceText } from '../../domain/shown-amount.ts';
import { formatUsdc, linesCounted, ordersCounted } from '../amount.ts';
import type { With } from '../context.ts';
import type { ListView } from '../output/view.ts';
import { type PlannedOrder, sum } from './planning.ts';
import type { ItemResult, LineResult } from './results.ts';
import { countOf, linesView, namedLines } from './view.ts';

/** What each item would cost; items that earlier runs bought are completed. */
export function rehearsed(orders: readonly PlannedOrder[]): ReadonlyMap<string, ItemResult> {
  const results = new Map<string, ItemResult>();
  for (const { items, pricesAtomic, isHeld } of orders) {
    for (const [at, id] of items.entries()) {
      results.set(id, {
        status: isHeld ? 'completed' : 'priced',
        orderId: null,
        transaction: null,
        amountAtomic: pricesAtomic[at] ?? null,
        codes: [],
        isBefore: isHeld,
        error: undefined,
      });
    }
  }
  return results;
}

export function rehearsalView(
  lines: readonly LineResult[],
  {
    orders,
    shortage,
    whole,
  }: {
    readonly orders: readonly PlannedOrder[];
    readonly shortage: ScripError | undefined;
    readonly whole: Message | undefined;
  },
): ListView {
  const open = orders.filter(({ isHeld }) => !isHeld);
  const price = paidText(sum(open.map(({ offer }) => offer.price.atomic)));
  const would = t`${countOf(lines, 'priced')} of ${linesCounted(lines.length)} would be bought in ${ordersCounted(open.length)} for ${price} USDC`;
  const error = shortage ?? (countOf(lines, 'invalid') === 0 ? undefined : partial(lines));
  const note = t`Nothing was sent. ${would}.`;
  return linesView(lines, { isRevealed: false, note, error, whole });
}

interface Bought {
  readonly isRevealed: boolean;
  /** How long to wait for delivery; 0 for not at all. */
  readonly waitMs: number;
  readonly orders: readonly PlannedOrder[];
}

export function boughtView(
  { parts }: With<'parts'>,
  lines: readonly LineResult[],
  { orders, ...options }: Bought,
): ListView {
  const before = lines.filter(({ isBefore, status }) => isBefore && status !== 'failed').length;
  const paid = sum(lines.flatMap(({ amountAtomic }) => amountAtomic ?? []));
  const done = countOf(lines, 'completed');
  const bought = t`${done} of ${linesCounted(lines.length)} bought in ${ordersCounted(orders.length)} for ${paidText(paid)} USDC`;
  const note = joined(
    [
      ...(before === lines.length
        ? [t`Nothing was paid this time: ${bought} by earlier runs.`, AGAIN]
        : [t`${bought}.`, ...(before === 0 ? [] : [boughtBefore(before)])]),
      ...(options.isRevealed ? [] : maskedNote(lines)),
    ],
    ' ',
  );
  const isWaiting = options.waitMs > 0;
  const isDone = done + (isWaiting ? 0 : countOf(lines, 'processing')) === lines.length;
  const codeless = lines.find((line) => line.error?.code === 'CODES_MISSING')?.error;
  const error = isDone ? codeless : parts.signal.aborted ? stopped(lines) : partial(lines);
  const whole = commandText`scrip orders`;
  return linesView(lines, { ...options, note, error, whole, isPaid: paid > 0n });
}

function maskedNote(lines: readonly LineResult[]): readonly Message[] {
  const [orderId] = lines.find(({ codes }) => codes.length > 0)?.orderIds ?? [];
  return orderId === undefined
    ? []
    : [commandText`To print the codes of an order: scrip orders reveal ${orderId}`];
}

/** As it stands above the question. */
function paidText(amount: Atomic): string {
  return priceText(formatUsdc(amount), 'USDC');
}

function boughtBefore(count: number): Message {
  return count === 1
    ? t`1 of them was already bought. To buy it again, add --allow-duplicate and a new --idempotency-key.`
    : t`${count} of them were already bought. To buy them again, add --allow-duplicate and a new --idempotency-key.`;
}

const AGAIN = t`To buy it again, add --allow-duplicate and a new --idempotency-key.`;

function partial(lines: readonly LineResult[]): ScripError {
  const rest = lines.length - countOf(lines, 'completed', 'priced');
  const cause = lines.find(({ error }) => error !== undefined)?.error;
  const bad = lines.filter(({ status }) => status === 'invalid');
  const [wrong, failed] = [bad.length, countOf(lines, 'failed')];
  const left = t`Left out (--skip-invalid): ${namedLines(bad)}`;
  const not = t`Not bought: ${rest} of ${linesCounted(lines.length)}`;
  const what = wrong === 0 ? not : rest === wrong ? left : t`${not}. ${left}`;
  return new ScripError('BATCH_PARTIAL', what, {
    ...(cause === undefined ? {} : { cause }),
    // Running such a cart again unchanged would fail the same way.
    ...(rest === wrong
      ? { hint: WRONG }
      : failed > 0 && rest === wrong + failed
        ? { hint: FAILED }
        : {}),
    fundsAtRisk: fundsAtRisk(lines),
    details: { total: lines.length, statuses: statusCounts(lines) },
  });
}

const WRONG = t`Fix those lines and run it again: items already bought are not bought twice.`;
const FAILED = t`The failed lines were paid and are not bought again: send the merchant their order ids.`;

/** Of the lines that were not delivered. */
function fundsAtRisk(lines: readonly LineResult[]): FundsAtRisk {
  if (countOf(lines, 'failed', 'processing', 'attention') > 0) return 'spent';
  return countOf(lines, 'unknown') > 0 ? 'possible' : 'none';
}

function stopped(lines: readonly LineResult[]): ScripError {
  const done = countOf(lines, 'completed');
  return new ScripError(
    'INTERRUPTED',
    t`Stopped; bought: ${done} of ${linesCounted(lines.length)}`,
    {
      hint: t`Run the same command again to continue: items already bought are not bought twice.`,
      fundsAtRisk: fundsAtRisk(lines),
      details: { total: lines.length, statuses: statusCounts(lines) },
    },
  );
}

function statusCounts(lines: readonly LineResult[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { status } of lines) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
}
