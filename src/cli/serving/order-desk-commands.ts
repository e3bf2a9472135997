/** `scrip serve order`, `retry` and `release`: one order, as its operator sees and moves it. */

import type { Command } from 'commander';
import { commandText, type OwnText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import type { OrderWait, ShopOrderDetails, WokenOrder } from '../../domain/operator-records.ts';
import type { RefundRecord } from '../../domain/refund-record.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import type { Line, RecordView } from '../output/view.ts';
import type { OperatedOrderRecord } from '../schemas/serve.ts';
import { type ActingFlags, exampleOf, type Opened, onStore, SHOP } from './operated.ts';

export function declareOrderDesk(command: Command, bind: Bind): void {
  const order = command
    .command('order')
    .description('show everything about one order, and what to do next')
    .argument('<order_id>', 'its id, or the beginning of it')
    .action((id: string, _flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async (opened) =>
        orderView(await opened.admin.desk.show(id), opened.command),
      ),
    );
  addExamples(order, [exampleOf(SHOP, 'order <order_id>')]);
  const retry = command
    .command('retry')
    .description('try at once what of an order waits for its time; nothing is bought anew')
    .argument('<order_id>', 'its id, or the beginning of it')
    .action((id: string, _flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin: { log, desk }, command: other }) => {
        const { order_id: orderId } = await desk.show(id);
        return wokenView(await log.record('retry', orderId, () => desk.retry(orderId)), other);
      }),
    );
  addExamples(retry, [exampleOf(SHOP, 'retry <order_id>')]);
  const release = command
    .command('release')
    .description('let an order go on that is held for a person, or refuse it')
    .argument('<order_id>', 'its id, or the beginning of it')
    .option('--refuse', 'end the order: what was not delivered is refunded')
    .action((id: string, { refuse }: { readonly refuse?: true }, self: Command) => {
      checkReason(self);
      const [action, decision] = refuse ? REFUSED : RELEASED;
      return onStore(bind, SHOP, self, async ({ admin: { log, desk }, command: other }) => {
        const { order_id: orderId } = await desk.show(id);
        const work = () => desk.release(orderId, decision);
        return orderView(await log.record(action, orderId, work), other);
      });
    });
  addExamples(release, [
    exampleOf(SHOP, 'release <order_id> --reason "the supplier answered by mail"'),
    exampleOf(SHOP, 'release <order_id> --refuse --reason "no stock until May"'),
  ]);
}

const RELEASED = ['release', 'release'] as const;
const REFUSED = ['release.refuse', 'refuse'] as const;

/** @throws {ScripError} USAGE */
function checkReason(self: Command): void {
  const { reason = '' } = self.optsWithGlobals<ActingFlags>();
  if (reason.trim() !== '') return;
  throw new ScripError('USAGE', t`--reason is missing: the log keeps why the order was released`, {
    hint: t`Add --reason with a few words.`,
  });
}

type Propose = Opened['command'];

function orderView(details: ShopOrderDetails, command: Propose): RecordView {
  const next = nextSteps(details, command);
  return {
    kind: 'record',
    record: { ...details, next: next.map(String) } satisfies OperatedOrderRecord,
    lines: [
      ...aboutLines(details),
      ...moneyLines(details),
      ...details.lines.flatMap(lineLines),
      ...details.refunds.map(refundLine),
      ...details.webhooks.map(
        ({ webhook_id: id, state, attempts, last_error: error }): Line => [
          t`Webhook`,
          t`${id}: ${state}, tries: ${attempts} ${error ?? ''}`,
        ],
      ),
      ...details.history.map(
        ({ at, state, payment_state: payment }): Line => [
          t`At`,
          t`${at}  ${state} ${payment ?? ''}`,
        ],
      ),
      ...details.actions.map(
        ({ at, who, action, result, reason }): Line => [
          t`By hand`,
          t`${at}  ${who}: ${action}, ${result} ${reason ?? ''}`,
        ],
      ),
      ...(details.waits.length === 0
        ? [[t`Waits for`, t`nothing`] as const]
        : details.waits.map(waitLine)),
      ...next.map((line): Line => [t`Next`, line]),
    ],
  };
}

function aboutLines(details: ShopOrderDetails): readonly Line[] {
  const { state, payment_state: payment, partner_id: partner } = details;
  return [
    [t`Order`, details.order_id],
    [t`State`, payment === null ? state : `${state} (${payment})`],
    [t`Sold by`, details.surface === 'partner' ? t`the partner API` : t`the checkout host`],
    ...(partner === null ? [] : [[t`Partner`, partner] as const]),
    [t`Buyer`, details.email],
    [t`Created`, details.created_at],
    [t`Changed`, details.updated_at],
  ];
}

function moneyLines(details: ShopOrderDetails): readonly Line[] {
  const { amount, coin, received, seen, pay_to: payTo, payer, payment_failure: why } = details;
  return [
    [t`To pay`, t`${amount} ${coin}`],
    [t`Received`, t`${received} ${coin}`],
    ...(seen === received ? [] : [[t`Seen`, t`${seen} ${coin}, not confirmed`] as const]),
    ...(payTo === null ? [] : [[t`Pay to`, payTo] as const]),
    ...(payer === null ? [] : [[t`Payer`, payer] as const]),
    ...details.transactions.map((id) => [t`Transaction`, id] as const),
    ...(why === null ? [] : [[t`Payment failed`, why] as const]),
  ];
}

function lineLines(line: ShopOrderDetails['lines'][number]): readonly Line[] {
  const { product, face_value: value, currency, state, attempts, last_error: fault } = line;
  return [
    [
      t`Line`,
      t`${product} ${value} ${currency} to ${line.beneficiary}: ${state}, tries: ${attempts}`,
    ],
    [t`Reference`, line.reference],
    ...(line.refusal === null ? [] : [[t`Refused`, line.refusal] as const]),
    ...(fault === null ? [] : [[t`Last error`, `${fault.at}  ${fault.error}`] as const]),
  ];
}

function refundLine(refund: RefundRecord): Line {
  const { refund_id: id, amount, coin, state, waits_for: wait, transaction } = refund;
  return [t`Refund`, t`${id}: ${amount} ${coin}, ${state} ${wait ?? transaction ?? ''}`];
}

const WAITS: Readonly<Record<OrderWait['for'], Message>> = {
  payment: t`the payment`,
  check: t`the check of its payment`,
  supplier: t`the supplier`,
  operator: t`a decision: release or refuse it; without one it is refunded`,
  refund: t`the refund`,
  webhook: t`the webhook`,
};

function waitLine({ for: what, subject, until }: OrderWait): Line {
  const about = subject === null ? WAITS[what] : t`${WAITS[what]} ${subject}`;
  return [t`Waits for`, until === null ? about : t`${about}, until ${until}`];
}

/** Command lines as they are typed. */
function nextSteps(details: ShopOrderDetails, command: Propose): readonly Message[] {
  const { order_id: id, waits, refunds, webhooks } = details;
  const isHeld = waits.some(({ for: what }) => what === 'operator');
  const isStopped = webhooks.some(({ state, last_error: error }) => state !== 'delivered' && error);
  const isLate = waits.some(({ for: what }) => what !== 'operator' && what !== 'webhook');
  return [
    ...(isHeld
      ? [
          command('release', id, '--reason', 'because …'),
          command('release', id, '--refuse', '--reason', 'because …'),
        ]
      : []),
    ...(isLate || isStopped ? [command('retry', id)] : []),
    ...refunds.flatMap((refund) => decisionOn(refund, command)),
  ].map(lineOf);
}

const lineOf = (words: OwnText): Message => commandText`${words}`;

function decisionOn({ refund_id: id, waits_for: wait }: RefundRecord, command: Propose) {
  if (wait === 'approval') return [command('refunds', 'approve', id)];
  if (wait === 'address') return [command('refunds', 'approve', id, '--to', 'ADDRESS')];
  if (wait === 'operator') return [command('refunds', 'mark-paid', id, '--transaction', 'ID')];
  return [];
}

function wokenView({ order_id: id, woken }: WokenOrder, command: Propose): RecordView {
  return {
    kind: 'record',
    record: { order_id: id, woken },
    title: woken.length === 0 ? t`Nothing waits for its time` : t`A server that runs does it now`,
    lines: [
      [t`Order`, id],
      ...woken.map(({ for: what, subject }): Line => {
        const about = subject === null ? WAITS[what] : t`${WAITS[what]} ${subject}`;
        return [t`Woken`, about];
      }),
    ],
    note: commandText`See what became of it: ${command('order', id)}`,
  };
}
