/** `scrip serve order`, `retry` and `release`: one order, as its operator sees and moves it. */

import type { Command } from 'commander';
import { commandText, type OwnText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { NETWORKS, networkName } from '../../domain/money/coins.ts';
import type {
  OrderWait,
  RefundRecord,
  ShopOrderDetails,
  WokenOrder,
} from '../../domain/operator/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
import type { OperatedOrderRecord, WokenOrderRecord } from '../schemas/serve.ts';
import { checkReason, exampleOf, type Opened, onStore, SHOP } from './operated.ts';
import { ordersView } from './order-list-commands.ts';

export function declareOrderDesk(command: Command, bind: Bind): void {
  const order = command
    .command('order')
    .description('show everything about one order, and what to do next; of several, list them')
    .argument(
      '[what]',
      'id or a part of it, e-mail address, transaction, wallet that paid, account that was paid, digest of a code, reference',
    )
    .option('--code-file <file>', 'find the order of the code in this file; - is standard input')
    .action((what: string | undefined, { codeFile }: { codeFile?: string }, self: Command) => {
      const isOne = (what === undefined) !== (codeFile === undefined);
      if (!isOne) throw new ScripError('USAGE', t`Name an order, or a file with --code-file`);
      return onStore(bind, SHOP, self, async (opened) => {
        const { desk, codeDigest } = opened.admin;
        const text = codeFile && codeDigest(await opened.context.io.readText(codeFile));
        const found = await desk.find(text ?? what ?? '');
        const [first, ...others] = found;
        return first === undefined || others.length > 0
          ? ordersView(found, opened, {})
          : orderView(await desk.show(first.order_id), opened);
      });
    });
  addExamples(order, [
    exampleOf(SHOP, 'order <order_id>'),
    exampleOf(SHOP, 'order ann@example.com'),
    exampleOf(SHOP, 'order --code-file -'),
  ]);
  const retry = command
    .command('retry')
    .description('try at once what of an order waits for its time; nothing is bought anew')
    .argument('<order_id>', 'its id, or the beginning of it')
    .action((id: string, _flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin: { log, desk }, command: other }) => {
        const details = await desk.show(id);
        const { order_id: orderId } = details;
        const { woken } = await log.record('retry', orderId, () => desk.retry(orderId));
        return wokenView(details, woken, other);
      }),
    );
  addExamples(retry, [exampleOf(SHOP, 'retry <order_id>')]);
  const release = command
    .command('release')
    .description('let an order go on that is held for a person, or refuse it')
    .argument('<order_id>', 'its id, or the beginning of it')
    .option('--refuse', 'end the order: what was not delivered is refunded')
    .action((id: string, { refuse }: { readonly refuse?: true }, self: Command) => {
      checkReason(self, t`--reason is missing: the log keeps why the order was released`);
      const [action, decision] = refuse ? REFUSED : RELEASED;
      return onStore(bind, SHOP, self, async (opened) => {
        const { log, desk } = opened.admin;
        const { order_id: orderId } = await desk.show(id);
        const work = () => desk.release(orderId, decision);
        return orderView(await log.record(action, orderId, work), opened);
      });
    });
  addExamples(release, [
    exampleOf(SHOP, 'release <order_id> --reason "the supplier answered by mail"'),
    exampleOf(SHOP, 'release <order_id> --refuse --reason "no stock until May"'),
  ]);
}

const RELEASED = ['release', 'release'] as const;
const REFUSED = ['release.refuse', 'refuse'] as const;

type Propose = Opened['command'];

function orderView(
  details: ShopOrderDetails,
  { command, context }: Pick<Opened, 'command' | 'context'>,
): RecordView {
  const next = nextSteps(details, command);
  const nowMs = context.parts.clock.now();
  const isOverdue = details.waits.some(({ until }) => isPast(until, nowMs));
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
        : details.waits.map((wait) => waitLine(wait, nowMs))),
      ...next.map((line): Line => [t`Next`, line]),
    ],
    ...(isOverdue && { note: t`A running server does what is due.` }),
  };
}

function aboutLines(details: ShopOrderDetails): readonly Line[] {
  const { state, payment_state: payment, partner_id: partner } = details;
  return [
    [t`Order`, details.order_id],
    [t`Status`, payment === null ? state : `${state} (${payment})`],
    [t`Sold by`, details.surface === 'partner' ? t`the partner API` : t`the checkout host`],
    ...given(t`Partner`, partner),
    [t`Buyer`, details.email],
    [t`Created`, details.created_at],
    [t`Changed`, details.updated_at],
  ];
}

function moneyLines(details: ShopOrderDetails): readonly Line[] {
  const { amount, coin, network, received, seen, payment_failure: why } = details;
  const { pay_to: payTo, payer } = details;
  return [
    [t`To pay`, t`${amount} ${coin}`],
    ...given(t`Network`, network && titleOf(coin, network)),
    [t`Received`, t`${received} ${coin}`],
    ...(seen === received ? [] : [[t`Seen`, t`${seen} ${coin}, not confirmed`] as const]),
    ...given(t`Pay to`, payTo),
    ...given(t`Payer`, payer),
    ...details.transactions.map((id) => [t`Transaction`, id] as const),
    ...given(t`Payment failed`, why),
  ];
}

/** The name for people of a network by its CAIP-2 id, or by its name if it has none. */
function titleOf(coin: string, network: string): string {
  const known = Object.values(NETWORKS).find(({ caip2 }) => caip2 === network);
  return networkName(coin, known?.name ?? network);
}

function lineLines(line: ShopOrderDetails['lines'][number]): readonly Line[] {
  const { product, face_value, currency, state, attempts, last_error: fault } = line;
  const value = `${face_value} ${currency}`;
  const what = hasValue(product, value) ? product : `${product} ${value}`;
  return [
    [t`Line`, t`${what} to ${line.beneficiary}: ${state}, tries: ${attempts}`],
    [t`Reference`, line.reference],
    ...given(t`Refused`, line.refusal),
    ...given(t`Last error`, fault && `${fault.at}  ${fault.error}`),
  ];
}

/** Names that the catalog makes, and most of others, have the value; the range of `Shop 5-50 EUR` is none. */
function hasValue(product: string, value: string): boolean {
  const words = (text: string) => ` ${text.split(/\s+/).join(' ').toUpperCase()} `;
  return words(product).includes(words(value));
}

function refundLine(refund: RefundRecord): Line {
  const { refund_id: id, amount, coin, state, waits_for: wait, transaction } = refund;
  return [t`Refund`, t`${id}: ${amount} ${coin}, ${state} ${wait ?? transaction ?? ''}`];
}

const WAITS: Readonly<Record<OrderWait['for'], Message>> = {
  payment: t`the payment`,
  check: t`the check of its payment`,
  supplier: t`the supplier`,
  operator: t`a decision: release or refuse it`,
  refund: t`the refund`,
  webhook: t`the webhook`,
};

/** These end by themselves at their time; the others are tried again. */
const ENDS: readonly OrderWait['for'][] = ['payment', 'check', 'operator'];

function waitLine(wait: OrderWait, nowMs: number): Line {
  const { for: what, until } = wait;
  const about = aboutWait(wait);
  if (until === null) return [t`Waits for`, about];
  if (isPast(until, nowMs)) return [t`Waits for`, t`${about}, due since ${until}`];
  return [
    t`Waits for`,
    what === 'operator'
      ? t`${about}; without one it is refunded at ${until}`
      : ENDS.includes(what)
        ? t`${about}, until ${until}`
        : t`${about}, tried at ${until}`,
  ];
}

function aboutWait({ for: what, subject }: Pick<OrderWait, 'for' | 'subject'>): Message {
  return subject === null ? WAITS[what] : t`${WAITS[what]} ${subject}`;
}

function isPast(until: string | null, nowMs: number): boolean {
  return until !== null && Date.parse(until) <= nowMs;
}

function isHeld({ waits }: ShopOrderDetails): boolean {
  return waits.some(({ for: what }) => what === 'operator');
}

/** Command lines as they are typed. */
function nextSteps(details: ShopOrderDetails, command: Propose): readonly Message[] {
  const { order_id: id, waits, webhooks } = details;
  const isStopped = webhooks.some(({ state, last_error: error }) => state !== 'delivered' && error);
  const isLate = waits.some(({ for: what }) => what !== 'operator' && what !== 'webhook');
  const retry = isLate || isStopped ? [lineOf(command('retry', id))] : [];
  return [...retry, ...decisions(details, command)];
}

const lineOf = (words: OwnText): Message => commandText`${words}`;

/** What only a person can do. */
function decisions(details: ShopOrderDetails, command: Propose): readonly Message[] {
  const { order_id: id, refunds } = details;
  const why = ['--reason', 'because …'];
  return [
    ...(isHeld(details)
      ? [command('release', id, ...why), command('release', id, '--refuse', ...why)]
      : []),
    ...refunds.flatMap((refund) => decisionOn(refund, command)),
  ].map(lineOf);
}

function decisionOn({ refund_id: id, waits_for: wait }: RefundRecord, command: Propose) {
  if (wait === 'approval') return [command('refunds', 'approve', id)];
  if (wait === 'address') return [command('refunds', 'approve', id, '--to', 'ADDRESS')];
  if (wait === 'operator') return [command('refunds', 'mark-paid', id, '--transaction', 'ID')];
  return [];
}

/** @param details the order before it was woken */
function wokenView(
  details: ShopOrderDetails,
  woken: WokenOrder['woken'],
  command: Propose,
): RecordView {
  const { order_id: id } = details;
  const next = decisions(details, command);
  return {
    kind: 'record',
    record: { order_id: id, woken, next: next.map(String) } satisfies WokenOrderRecord,
    title:
      woken.length > 0
        ? t`A server that runs does it now`
        : isHeld(details)
          ? t`Held for a decision: retry does not decide`
          : t`Nothing waits for its time`,
    lines: [
      [t`Order`, id],
      ...woken.map((wait): Line => [t`Woken`, aboutWait(wait)]),
      ...(isHeld(details) ? [[t`Waits for`, WAITS.operator] as const] : []),
      ...next.map((line): Line => [t`Next`, line]),
    ],
    note: commandText`See what became of it: ${command('order', id)}`,
  };
}
