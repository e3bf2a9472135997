/** The result of a cart: its lines as a list and as JSON records, in the order of the file, and a summary. */

import { commandText } from '../../domain/message/command-text.ts';
import { type FundsAtRisk, ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, type Said, t } from '../../domain/message/message.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import type { LineStatus } from '../../domain/order/order-states.ts';
import { formatUsdc, linesCounted, ordersCounted } from '../amount.ts';
import type { With } from '../context.ts';
import { maskCode } from '../orders/codes.ts';
import { documentsView, type ListView, type Note } from '../output/view.ts';
import type { CartLineRecord } from '../schemas/purchase.ts';
import { type PlannedOrder, sum } from './planning.ts';
import {
  type ItemCode,
  type ItemResult,
  type LineResult,
  NOTHING,
  productName,
  recipientOf,
} from './results.ts';

/** What each item would cost; items that earlier runs bought are completed. */
export function rehearsed(orders: readonly PlannedOrder[]): ReadonlyMap<string, ItemResult> {
  const results = new Map<string, ItemResult>();
  for (const { items, pricesAtomic, isHeld } of orders) {
    for (const [at, id] of items.entries()) {
      results.set(id, {
        ...NOTHING,
        status: isHeld ? 'completed' : 'priced',
        amountAtomic: pricesAtomic[at] ?? null,
        isBefore: isHeld,
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
  const note = [
    ...(before === lines.length
      ? [t`Nothing was paid this time: ${bought} by earlier runs.`, AGAIN]
      : [t`${bought}.`, ...(before === 0 ? [] : [t`Bought by earlier runs: ${before}.`, AGAIN])]),
    ...(options.isRevealed ? [] : maskedNote(lines)),
  ];
  const isWaiting = options.waitMs > 0;
  const isDone = done + (isWaiting ? 0 : countOf(lines, 'processing')) === lines.length;
  const codeless = lines
    .flatMap(({ errors }) => errors)
    .find(({ code }) => code === 'CODES_MISSING');
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

const AGAIN = t`To buy it again, add --allow-duplicate and a new --idempotency-key.`;

function partial(lines: readonly LineResult[]): ScripError {
  const rest = lines.length - countOf(lines, 'completed', 'priced');
  const [cause] = lines.flatMap(({ errors }) => errors);
  const bad = lines.filter(({ status }) => status === 'invalid');
  const [wrong, failed] = [bad.length, countOf(lines, 'failed')];
  const left = t`Left out (--skip-invalid): ${namedLines(bad)}`;
  const not = t`Not bought: ${rest} of ${linesCounted(lines.length)}`;
  const what = wrong === 0 ? not : rest === wrong ? left : t`${not}. ${left}`;
  return new ScripError('BATCH_PARTIAL', what, {
    cause,
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

/** Separates several orders, transactions or codes of one line. */
const BETWEEN = ' ';

/** The JSON of a line. */
function lineRecord(
  line: LineResult,
  { isRevealed }: { readonly isRevealed: boolean },
): CartLineRecord {
  const { row, status, errors } = line;
  const [error] = errors;
  return {
    line: row.number,
    status,
    product_id: row.productId ?? null,
    country: row.country.toLowerCase() || null,
    brand: row.brand || null,
    value: row.saidValue ?? null,
    to: recipientOf(line) || null,
    quantity: row.quantity || null,
    note: row.note ?? null,
    amount: line.amountAtomic === null ? null : formatUsdc(line.amountAtomic),
    order_id: textOf(line.orderIds),
    transaction: textOf(line.transactions),
    code: codesText(line, 'code', isRevealed),
    already_bought: line.isBefore,
    field: typeof error?.details.field === 'string' ? error.details.field : null,
    error_code: error?.code ?? null,
    error: errors.length === 0 ? null : errors.map(({ message }) => message).join('; '),
    serial: codesText(line, 'serial', isRevealed),
    security_code: codesText(line, 'securityCode', isRevealed),
  };
}

/** Stands for a missing part, if another item of the line has it. */
const NONE = '-';

/** The same part of every item's code, in order. */
function codesText(
  { codes }: LineResult,
  part: keyof ItemCode,
  isRevealed: boolean,
): string | null {
  const texts = codes.map((one) => one[part]);
  if (texts.every((text) => text === '')) return null;
  const shown = texts.map((text) => (isRevealed || text === '' ? text : maskCode(text)));
  return textOf(shown.map((text) => text || NONE));
}

function textOf(parts: readonly string[]): string | null {
  return parts.length === 0 ? null : parts.join(BETWEEN);
}

interface Shown {
  readonly isRevealed: boolean;
  readonly note?: Note | undefined;
  readonly error?: ScripError | undefined;
  /** Whether something may have been paid: adds a hint in case the list cannot be written. */
  readonly isPaid?: boolean;
  /** The command that lists all lines again. */
  readonly whole?: Message | undefined;
}

export function linesView(lines: readonly LineResult[], shown: Shown): ListView {
  const { note, error, isPaid, whole } = shown;
  const rows = lines.map((line) => {
    const document = lineRecord(line, shown);
    return { ...document, document, why: wrongText(line), product: productName(line) };
  });
  return documentsView<(typeof rows)[number]>({
    rows,
    columns: [
      { header: t`LINE`, cell: (row) => String(row.line), align: 'right' },
      { header: t`STATUS`, cell: ({ status }) => status },
      { header: t`TO`, cell: ({ to }) => to ?? '', usefulWidth: 16 },
      { header: t`AMOUNT`, cell: ({ amount }) => amount ?? '', align: 'right' },
      { header: t`ORDER`, cell: ({ order_id }) => order_id ?? '', isWhole: true, dropOrder: 4 },
      { header: t`CODE`, cell: ({ code }) => code ?? '', isWhole: true, below: 'kept' },
      { header: t`TRANSACTION`, cell: ({ transaction }) => transaction ?? '', dropOrder: 1 },
      { header: t`FIELD`, cell: ({ field }) => field ?? '', dropOrder: 3 },
      { header: t`ERROR`, cell: ({ why }) => why, below: 'sentence' },
      // Added at the end: scripts read the other columns by position.
      { header: t`SERIAL`, cell: ({ serial }) => serial ?? '', isWhole: true, below: 'value' },
      {
        header: t`SECURITY CODE`,
        cell: ({ security_code }) => security_code ?? '',
        isWhole: true,
        below: 'value',
      },
      { header: t`PRODUCT`, cell: ({ product }) => product, dropOrder: 2 },
    ],
    ...(note === undefined ? {} : { note }),
    ...(error === undefined ? {} : { error }),
    ...(whole === undefined ? {} : { whole }),
    ...(isPaid === true ? { ifLost: KEPT } : {}),
  });
}

function wrongText({ errors }: LineResult): Said {
  return joined(
    errors.map(({ code, sentence }) => t`${code}: ${sentence}`),
    '; ',
  );
}

/** If output fails, the codes are still in the journal. */
const KEPT = {
  hint: t`Do not pay again. Run the same command again: it shows what was bought and pays nothing twice.`,
  fundsAtRisk: 'spent',
} as const;

/** The error for a cart with wrong lines. */
export function badLinesError(bad: readonly LineResult[], file: Message): ScripError {
  const faults = bad.flatMap(({ row, errors }) =>
    errors.map(({ code, message, details: { field, products } }) => ({
      ...{ line: row.number, field: field ?? null, code, message },
      ...(products === undefined ? {} : { products }),
    })),
  );
  return new ScripError(
    'CART_INVALID',
    t`${linesCounted(bad.length)} of ${file} cannot be bought: ${numbersOf(bad)}; nothing was sent`,
    { details: { lines: faults }, ...commonHint(bad) },
  );
}

/** What mends every line at once, such as a country that all of them lack. */
function commonHint(bad: readonly LineResult[]): { readonly hint?: Message } {
  const [first, ...others] = bad.flatMap(({ errors }) => errors);
  const isCommon = others.every(({ hint }) => String(hint) === String(first?.hint));
  const isMissing = first?.code === 'INPUT_INVALID' && first.details.field !== undefined;
  return isCommon && isMissing ? { hint: first.hint } : {};
}

/** Such as `lines 3 (to), 7 (brand, value)`. */
function namedLines(bad: readonly LineResult[]): Message {
  const what = bad.length === 1 ? t`line` : t`lines`;
  return t`${what} ${numbersOf(bad)}`;
}

function numbersOf(bad: readonly LineResult[]): Message {
  const named = bad.slice(0, FEW).map(({ row, errors }) => {
    const fields = errors.flatMap(({ details }) => details.field ?? []);
    return `${row.number}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`;
  });
  return t`${named.join(', ')}${bad.length > FEW ? t` and others` : ''}`;
}

/** Maximum number of lines named in a sentence. */
const FEW = 5;

function countOf(lines: readonly LineResult[], ...statuses: readonly LineStatus[]): number {
  return lines.filter(({ status }) => statuses.includes(status)).length;
}
