/** The columns of lists of purchases. */

import { NO_WALLET } from '../../domain/journal/journal.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import type { PurchaseStatus } from '../../domain/order/order-states.ts';
import { goodsName, inCart } from '../../domain/product/product.ts';
import type { Learned } from '../completion/remembered.ts';
import type { With } from '../context.ts';
import { localMinute } from '../output/instant.ts';
import type { Tone } from '../output/paint.ts';
import type { Column } from '../output/view.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';

export const STATUS_TONES: Readonly<Record<PurchaseStatus, Tone>> = {
  completed: 'good',
  processing: 'open',
  unpaid: 'open',
  unknown: 'bad',
  attention: 'bad',
  failed: 'bad',
  canceled: 'bad',
  expired: 'bad',
  refunded: 'bad',
};

/**
 * The columns of every list of purchases.
 * @param idLength number of characters that make each id unique
 * @param isLocal whether people read times and amounts, at a terminal; otherwise they are in UTC, with all digits
 */
export const purchaseColumns = (
  idLength: number,
  isLocal: boolean,
): readonly Column<PurchaseRecord>[] => [
  {
    header: t`ORDER`,
    cell: idOf,
    // Commands accept the beginning of an id.
    narrow: (row) => idOf(row).slice(0, idLength),
    isWhole: true,
  },
  {
    header: t`STATUS`,
    cell: (row) => row.status,
    tone: (row) => STATUS_TONES[row.status],
    isWhole: true,
  },
  { header: t`PRODUCT`, cell: nameOf, usefulWidth: 17 },
  {
    header: t`PAID`,
    cell: (row) => paidText(row, isLocal),
    // Without its column, show the coin only if it is not USDC.
    narrow: (row) =>
      row.coin === 'USDC' || !row.amount
        ? paidText(row, isLocal)
        : `${paidText(row, isLocal)} ${row.coin}`,
    align: 'right',
    isWhole: true,
    dropOrder: 4,
  },
  { header: t`COIN`, cell: (row) => row.coin, dropOrder: 1 },
  {
    header: t`WHEN`,
    cell: (row) => whenText(row, isLocal),
    narrow: (row) => whenText(row, isLocal).slice('2026-'.length),
    dropOrder: 5,
  },
];

/** Whether people read a list as a table, at a terminal. */
export function isRead({ io, settings }: With<'io' | 'settings'>): boolean {
  return io.stdout.isTerminal && settings.output.format === 'text';
}

function idOf({ order_id, intent_id }: PurchaseRecord): string {
  return order_id ?? intent_id;
}

function whenText({ created_at }: PurchaseRecord, isLocal: boolean): string {
  return isLocal ? localMinute(created_at) : created_at.slice(0, 16).replace('T', ' ');
}

function paidText({ amount, coin }: PurchaseRecord, isLocal: boolean): string {
  if (amount === null) return '';
  return isLocal ? priceText(amount, coin) : amount;
}

function nameOf({ product_name: name, face_value: faceValue, currency }: PurchaseRecord): Said {
  return inCart(goodsName({ name, faceValue, currency }));
}

/** The orders that completion offers later: each id with its product and day. */
export function learnedOrders(purchases: readonly PurchaseRecord[]): Learned {
  const named = purchases.flatMap((one) => {
    const { order_id: id, product_name: name, face_value: faceValue, currency, created_at } = one;
    const what = goodsName({ name, faceValue, currency });
    return id === null ? [] : [[id, `${what}, ${created_at.slice(0, 10)}`] as const];
  });
  return { orders: Object.fromEntries(named) };
}

export const NOTE: Column<PurchaseRecord> = {
  header: t`NOTE`,
  cell: ({ note }) => note ?? '',
  dropOrder: 2,
};

/** An order that is paid from elsewhere, made without a wallet here. */
const ELSEWHERE = t`not from here`;

/** Shown if a purchase was paid by a wallet other than the configured one. */
export const WALLET: Column<PurchaseRecord> = {
  header: t`WALLET`,
  cell: ({ payer }) => (payer === NO_WALLET ? ELSEWHERE : payer),
  narrow: ({ payer }) =>
    payer === NO_WALLET ? ELSEWHERE : `${payer.slice(0, ENDS_SHOWN)}…${payer.slice(-ENDS_SHOWN)}`,
  dropOrder: 3,
};
const ENDS_SHOWN = 4;
