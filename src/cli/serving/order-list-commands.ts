/** `scrip serve orders`: a shop's orders, by what their operator knows of them. */

import type { Command } from 'commander';
import { ORDER_STATUSES } from '../../contract/checkout.ts';
import { ORDER_STATES } from '../../contract/codes.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import type { OrdersAsked } from '../../domain/operator/operator.ts';
import type { ShopOrderRecord } from '../../domain/operator/operator-records.ts';
import { checkPlainDecimal } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import { localMinute } from '../output/instant.ts';
import { type ListView, listView, type View } from '../output/view.ts';
import { startOf } from '../parsing/words.ts';
import { exampleOf, type Opened, onStore, parseLimit, SHOP, sinceOf } from './operated.ts';

/** Of the partner API, then of the checkout host. */
const STATES = [...Object.keys(ORDER_STATES), ...ORDER_STATUSES];
const SURFACES = ['checkout', 'partner'] as const;

const OPTIONS = {
  '--state <state>': {
    what: 'only orders in this state, also ended ones',
    choices: [...STATES, 'any'],
  },
  '--surface <name>': {
    what: 'only orders of the checkout host, or of the partner API',
    choices: SURFACES,
  },
  '--partner <partner_id>': 'only orders of this partner',
  '--since <date>': 'made from this day (2026-11-01) or instant on, or in the last 30d',
  '--until <date>': 'made before this day or instant',
  '--amount <amount>': 'to pay in the order’s coin: 25.25, or a range such as 20..30',
  '--text <text>': 'part of a brand’s name, or of the buyer’s e-mail address',
  '--newest': 'the newest first',
  '--after <order_id>': 'the next page: only what comes after this order',
  '--limit <number>': ['maximum number', '100'],
} as const;

export function declareOrderList(command: Command, bind: Bind): void {
  const orders = addOptions(command.command('orders'), OPTIONS)
    .description('list orders, the oldest first: those under way, or in any state')
    .action((flags: FlagsOf<typeof OPTIONS>, self: Command) => {
      const { state, surface, partner, since, until, amount, text, newest, after } = flags;
      const [limit, range] = [parseLimit(flags.limit), amount && parseRange(amount)];
      return onStore(bind, SHOP, self, async (opened) => {
        const nowMs = opened.context.parts.clock.now();
        const matched = {
          ...{ surface, partnerId: partner, text, amount: range || undefined },
          sinceMs: since === undefined ? undefined : sinceOf(since, nowMs),
          untilMs: until === undefined ? undefined : startOf(until, '--until', nowMs),
        };
        const asked = { ...matched, state, after, limit, isNewestFirst: newest ?? false };
        const records = await opened.admin.orders(asked);
        const isFiltered = Object.values(matched).some((value) => value !== undefined);
        return ordersView(records, opened, {
          empty: isFiltered
            ? t`No order matches.`
            : (NONE[state ?? ''] ?? t`No order is ${state ?? ''}.`),
          note: [
            ...(state === undefined && isFiltered ? [UNDER_WAY_ALONE] : []),
            ...(records.length === limit ? nextPage(records) : []),
          ],
        });
      });
    });
  addExamples(orders, [
    exampleOf(SHOP, 'orders'),
    exampleOf(SHOP, 'orders --state WaitingForManualAction'),
    exampleOf(SHOP, 'orders --state any --since 30d --text amazon --newest'),
    exampleOf(SHOP, 'orders --state any --amount 20..30 --csv'),
  ]);
}

const NONE: Readonly<Record<string, Message>> = {
  '': t`No order is under way.`,
  any: t`The shop has no order yet.`,
};
const UNDER_WAY_ALONE = commandText`Only orders under way are looked at; ended ones too with --state any.`;

function nextPage(records: readonly ShopOrderRecord[]): readonly Message[] {
  const last = records.at(-1);
  return last === undefined ? [] : [commandText`The next page: --after ${last.order_id}`];
}

/** @throws {ScripError} AMOUNT_INVALID, INPUT_INVALID for a range without an end */
function parseRange(text: string): OrdersAsked['amount'] {
  const [least = '', most = least, ...more] = text.split('..');
  for (const bound of [least, most]) if (bound !== '') checkPlainDecimal(bound);
  if (more.length === 0 && least + most !== '') {
    return { ...(least && { least }), ...(most && { most }) };
  }
  throw new ScripError('INPUT_INVALID', t`--amount "${text}" is not an amount`, {
    hint: t`Write an amount, 25.25, or a range: 20..30, 20.. or ..30.`,
  });
}

export async function ordersView(
  records: readonly ShopOrderRecord[],
  { command, context }: Pick<Opened, 'command' | 'context'>,
  { note = [], ...more }: { readonly note?: readonly Message[] } & Pick<ListView, 'empty'>,
): Promise<View> {
  const [first] = records;
  const [{ isRead }, { shortLength }] = await Promise.all([
    import('../orders/columns.ts'),
    import('../orders/ledger.ts'),
  ]);
  const length = shortLength(records.map(({ order_id: id }) => ({ id, name: id })));
  const timeOf = (iso: string) => (isRead(context) ? localMinute(iso) : iso);
  const view = listView<ShopOrderRecord>({
    records,
    columns: [
      {
        header: t`ORDER`,
        cell: ({ order_id }) => order_id,
        narrow: ({ order_id }) => order_id.slice(0, length),
        isWhole: true,
      },
      { header: t`STATUS`, cell: (row) => row.state, isWhole: true },
      { header: t`PAYMENT`, cell: ({ payment_state }) => payment_state ?? '', dropOrder: 5 },
      { header: t`AMOUNT`, cell: ({ amount }) => amount, align: 'right' },
      { header: t`COIN`, cell: ({ coin }) => coin },
      { header: t`PRODUCT`, cell: ({ product }) => product, usefulWidth: 12, dropOrder: 7 },
      { header: t`BUYER`, cell: ({ email }) => email, dropOrder: 6 },
      { header: t`PARTNER`, cell: ({ partner_id }) => partner_id ?? '', dropOrder: 3 },
      { header: t`PAYER`, cell: ({ payer }) => payer ?? '', dropOrder: 1 },
      { header: t`TRANSACTION`, cell: (row) => row.transactions.join(' '), dropOrder: 0 },
      {
        header: t`REFUND`,
        cell: ({ refund, refund_state: state }) => (refund === null ? '' : `${refund} ${state}`),
        dropOrder: 4,
      },
      {
        header: t`CREATED`,
        cell: ({ created_at }) => timeOf(created_at),
        narrow: ({ created_at }) => timeOf(created_at).slice('2026-'.length),
        isWhole: true,
        dropOrder: 8,
      },
      { header: t`CHANGED`, cell: ({ updated_at }) => timeOf(updated_at), dropOrder: 2 },
    ],
    ...more,
    note: [
      ...note,
      ...(first ? [commandText`All about one: ${command('order', first.order_id)}`] : []),
    ],
  });
  return context.settings.output.format === 'csv'
    ? { ...view, records: records.map(inCells) }
    : view;
}

/** A list would be JSON in its cell. */
function inCells(order: ShopOrderRecord) {
  return { ...order, transactions: order.transactions.join(' ') };
}
