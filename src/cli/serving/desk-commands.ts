/** `scrip serve orders` and `scrip serve log`: what a shop's operator looks at. */

import { type Command, Option } from 'commander';
import { ORDER_STATUSES } from '../../contract/checkout.ts';
import { ORDER_STATES } from '../../contract/codes.ts';
import { commandText } from '../../domain/command-text.ts';
import { t } from '../../domain/message.ts';
import type { OperatorActionRecord, ShopOrderRecord } from '../../domain/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { listView } from '../output/view.ts';
import { onStore, SHOP } from './operated.ts';
import { parseLimit } from './serving.ts';

/** Of the partner API, then of the checkout host. */
const STATES = [...Object.keys(ORDER_STATES), ...ORDER_STATUSES];

/** Characters of an instant up to its minute. */
const MINUTE = 16;

export function declareDesk(command: Command, bind: Bind): void {
  const orders = command
    .command('orders')
    .description('list the orders that are under way, the oldest first')
    .addOption(
      new Option('--state <state>', 'only orders in this state, also ended ones').choices(STATES),
    )
    .option('--limit <number>', 'maximum number', '100')
    .action(({ state, limit }: { state?: string; limit: string }, self: Command) => {
      const asked = { state, limit: parseLimit(limit) };
      return onStore(bind, SHOP, self, async ({ admin, command: other }) => {
        const records = await admin.orders(asked);
        const [first] = records;
        return listView<ShopOrderRecord>({
          records,
          columns: [
            { header: t`ORDER`, cell: ({ order_id }) => order_id, isWhole: true },
            { header: t`STATUS`, cell: (row) => row.state },
            { header: t`PAYMENT`, cell: ({ payment_state }) => payment_state ?? '', dropOrder: 1 },
            { header: t`PARTNER`, cell: ({ partner_id }) => partner_id ?? '', dropOrder: 0 },
            { header: t`CREATED`, cell: ({ created_at }) => created_at },
            { header: t`CHANGED`, cell: ({ updated_at }) => updated_at, dropOrder: 2 },
          ],
          empty: state === undefined ? t`No order is under way.` : t`No order is ${state}.`,
          ...(first && { note: commandText`All about one: ${other('order', first.order_id)}` }),
        });
      });
    });
  addExamples(orders, [
    'serve orders --config shop.json',
    'serve orders --state WaitingForManualAction --config shop.json',
  ]);
  const log = command
    .command('log')
    .description('list what operators did, the newest first')
    .option('--limit <number>', 'maximum number', '100')
    .action(({ limit }: { limit: string }, self: Command) => {
      const most = parseLimit(limit);
      return onStore(bind, SHOP, self, async ({ admin }) =>
        listView<OperatorActionRecord>({
          records: await admin.log.latest(most),
          columns: [
            { header: t`WHEN`, cell: ({ at }) => at, narrow: ({ at }) => at.slice(0, MINUTE) },
            { header: t`WHO`, cell: ({ who }) => who, dropOrder: 1 },
            { header: t`ACTION`, cell: ({ action }) => action, isWhole: true },
            { header: t`SUBJECT`, cell: ({ subject }) => subject, isWhole: true },
            { header: t`RESULT`, cell: ({ result }) => result },
            { header: t`REASON`, cell: ({ reason }) => reason ?? '', dropOrder: 0 },
          ],
          empty: t`Nothing was done by hand yet.`,
        }),
      );
    });
  addExamples(log, ['serve log --config shop.json']);
}
