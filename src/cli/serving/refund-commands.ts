/** `scrip serve refunds`: what a shop owes back, and the operator's decisions on it. */

import type { Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { t } from '../../domain/message/message.ts';
import type { ShopAdmin } from '../../domain/operator/operator.ts';
import type { RefundRecord } from '../../domain/operator/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { given, listView, type View } from '../output/view.ts';
import { checkReason, exampleOf, type Opened, onStore, parseLimit, SHOP } from './operated.ts';

interface ToFlags {
  readonly to?: string;
}

export function declareRefunds(command: Command, bind: Bind): void {
  const refunds = command
    .command('refunds')
    .description('list the refunds that wait or are being sent')
    .option('--all', 'also those that are sent or refused')
    .option('--limit <number>', 'maximum number', '100')
    .action((flags: { all?: true; limit: string }, self: Command) => {
      const limit = parseLimit(flags.limit);
      const filter = flags.all ? 'all' : 'waiting';
      return onStore(bind, SHOP, self, async (opened) =>
        listed(opened, await opened.admin.refunds.list(filter, limit), filter),
      );
    });
  addExamples(refunds, [exampleOf(SHOP, 'refunds'), exampleOf(SHOP, 'refunds --all --json')]);
  declareDecisions(refunds, bind);
}

function declareDecisions(refunds: Command, bind: Bind): void {
  const approve = refunds
    .command('approve')
    .description('let a refund be sent that waits for approval')
    .argument('<refund_id>', 'from the list of refunds')
    .option(
      '--to <address>',
      'recipient of a refund that names none; with --reason, another one than its buyer named',
    )
    .action((id: string, { to }: ToFlags, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin }) =>
        shown(await approved(admin, self, { id, to })),
      ),
    );
  addExamples(approve, [exampleOf(SHOP, 'refunds approve <refund_id>')]);
  const refuse = refunds
    .command('refuse')
    .description('never send a refund')
    .argument('<refund_id>', 'from the list of refunds')
    .action((id: string, _flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin }) =>
        shown(await admin.log.record('refunds.refuse', id, () => admin.refunds.refuse(id))),
      ),
    );
  addExamples(refuse, [exampleOf(SHOP, 'refunds refuse <refund_id>')]);
  const paid = refunds
    .command('mark-paid')
    .description('record a refund that was paid by hand')
    .argument('<refund_id>', 'from the list of refunds; or a transaction that paid no order')
    .requiredOption('--transaction <id>', 'transaction that paid it; the chain has to show it')
    .option('--to <address>', 'recipient of a refund that names none')
    .action((id: string, flags: ToFlags & { transaction: string }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin }) =>
        shown(
          await admin.log.record('refunds.mark-paid', id, () =>
            admin.refunds.markPaid(id, flags.transaction, flags.to),
          ),
        ),
      ),
    );
  addExamples(paid, [exampleOf(SHOP, 'refunds mark-paid <refund_id> --transaction <id>')]);
}

/** Another recipient than the buyer's is kept in the log with the old one. */
async function approved(
  { refunds, log }: ShopAdmin,
  self: Command,
  { id, to }: { readonly id: string; readonly to: string | undefined },
): Promise<RefundRecord> {
  const recipient = to === undefined ? null : (await refunds.byId(id)).recipient;
  if (to === undefined || recipient === null || recipient === to) {
    return log.record('refunds.approve', id, () => refunds.approve(id, to));
  }
  checkReason(self, t`--reason is missing: the log keeps why the refund goes to another address`);
  const work = () => refunds.approve(id, to, recipient);
  return log.record('refunds.redirect', id, work, `${recipient} -> ${to}`);
}

function listed(
  { command }: Opened<ShopAdmin>,
  records: readonly RefundRecord[],
  filter: 'all' | 'waiting',
): View {
  const approval = records.find(({ waits_for }) => waits_for === 'approval');
  return listView<RefundRecord>({
    records,
    columns: [
      { header: t`REFUND`, cell: ({ refund_id }) => refund_id, isWhole: true },
      { header: t`AMOUNT`, cell: ({ amount, coin }) => `${amount} ${coin}`, align: 'right' },
      { header: t`STATUS`, cell: ({ state }) => state },
      { header: t`WAITS FOR`, cell: ({ waits_for }) => waits_for ?? '' },
      { header: t`TO`, cell: ({ recipient }) => recipient ?? '', usefulWidth: 12 },
      {
        header: t`TRANSACTION`,
        cell: (row) => row.transaction ?? '',
        usefulWidth: 12,
        dropOrder: 1,
      },
      { header: t`SINCE`, cell: ({ created_at }) => created_at, dropOrder: 2 },
    ],
    empty:
      filter === 'all'
        ? t`No refund was owed yet.`
        : [
            t`No refund waits.`,
            commandText`Those sent or refused too: ${command('refunds', '--all')}`,
          ],
    ...(approval && {
      note: commandText`Let it be sent: ${command('refunds', 'approve', approval.refund_id)}`,
    }),
  });
}

function shown(record: RefundRecord): View {
  const { amount, coin, recipient, state } = record;
  return {
    kind: 'record',
    record,
    lines: [
      [t`Refund`, record.refund_id],
      ...given(t`Order`, record.order_id),
      [t`Amount`, `${amount} ${coin}`],
      [t`To`, recipient ?? ''],
      [t`Status`, state],
      ...given(t`Waits for`, record.waits_for),
      ...given(t`Transaction`, record.transaction),
    ],
  };
}
