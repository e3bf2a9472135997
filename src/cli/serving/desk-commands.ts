/** What an operator looks at: the log, catalogs, stock, the audit of the books, and webhooks, which can be sent again. */

import type { Command } from 'commander';
import { WEBHOOK_STATES } from '../../contract/operator-states.ts';
import { networkTitle } from '../../contract/usdc.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t, verbatim } from '../../domain/message/message.ts';
import {
  ALARMS,
  type AlarmName,
  type AlarmTrial,
  todoOf as alarmTodoOf,
} from '../../domain/operator/alarms.ts';
import { type AuditReport, type OperatedBy, todoOf } from '../../domain/operator/audit.ts';
import type { OperatorAdmin, WebhookState } from '../../domain/operator/operator.ts';
import type {
  AlarmRecord,
  CatalogVersionRecord,
  OperatorActionRecord,
  StockRecord,
  WebhookRecord,
} from '../../domain/operator/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { given, type Line, listView, type View } from '../output/view.ts';
import {
  configOf,
  exampleOf,
  type Opened,
  type Operated,
  onStore,
  parseCount,
  parseLimit,
  SANDBOX,
  SHOP,
  showPlace,
  sinceOf,
} from './operated.ts';

/** Characters of an instant up to its minute. */
const MINUTE = 16;

export function declareLog(command: Command, bind: Bind): void {
  const log = command
    .command('log')
    .description('list what operators did, the newest first')
    .option('--limit <number>', 'maximum number', '100')
    .action(({ limit }: { limit: string }, self: Command) => {
      const most = parseLimit(limit);
      return onStore(bind, SHOP, self, async ({ admin }) =>
        logView(await admin.log.latest(most), t`Nothing was done by hand yet.`),
      );
    });
  addExamples(log, ['serve log --config shop.json']);
}

export function logView(records: readonly OperatorActionRecord[], empty: Message): View {
  return listView<OperatorActionRecord>({
    records,
    columns: [
      { header: t`WHEN`, cell: ({ at }) => at, narrow: ({ at }) => at.slice(0, MINUTE) },
      { header: t`WHO`, cell: ({ who }) => who, dropOrder: 1 },
      { header: t`ACTION`, cell: ({ action }) => action, isWhole: true },
      { header: t`SUBJECT`, cell: ({ subject }) => subject, isWhole: true },
      { header: t`RESULT`, cell: ({ result }) => result },
      { header: t`REASON`, cell: ({ reason }) => reason ?? '', dropOrder: 0 },
    ],
    empty,
  });
}

export function declareCatalogVersions(command: Command, bind: Bind): void {
  const catalog = command
    .command('catalog')
    .description('list the last good catalogs, and sell an earlier one again')
    .option('--use <version>', 'sell this version until the source has a newer one')
    .action(({ use }: { use?: string }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin, command: other }) => {
        const { catalog: versions, log } = admin;
        const records =
          use === undefined
            ? await versions.list()
            : await log.record('catalog.use', use, () => versions.use(use));
        const earlier = records.find(({ sold }) => !sold);
        return listView<CatalogVersionRecord>({
          records,
          columns: [
            { header: t`VERSION`, cell: ({ version }) => version, isWhole: true },
            { header: t`SINCE`, cell: ({ taken_at }) => taken_at },
            { header: t`STATUS`, cell: ({ sold }) => (sold ? t`sold` : '') },
          ],
          empty: t`No server has read a catalog yet.`,
          ...(use === undefined
            ? earlier && {
                note: commandText`Sell another one: ${other('catalog', '--use', earlier.version)}`,
              }
            : { note: t`Every server sells it from its next refresh on.` }),
        });
      }),
    );
  addExamples(catalog, [
    exampleOf(SHOP, 'catalog'),
    exampleOf(SHOP, 'catalog --use file-3f2a9c81d4e05b67'),
  ]);
}

export function declareAlarms(command: Command, bind: Bind): void {
  const alarms = command
    .command('alarms')
    .description('list what is wrong with the shop now, and what to do')
    .option('--test', 'send a trial by the webhook and the mail of the configuration')
    .action(({ test }: { test?: boolean }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin }) =>
        test
          ? trialView(await admin.testAlarms())
          : alarmView(await admin.alarms(), configOf(self)),
      ),
    );
  addExamples(alarms, [exampleOf(SHOP, 'alarms'), exampleOf(SHOP, 'alarms --test')]);
}

function alarmView(found: readonly AlarmRecord[], config: string): View {
  // A name of the table.
  const nameOf = ({ alarm }: AlarmRecord) => alarm as AlarmName;
  const todo = (row: AlarmRecord) => alarmTodoOf(nameOf(row), config);
  const records = found.map((row) => ({ ...row, todo: String(todo(row)) }));
  const count = records.length;
  const message = count === 1 ? t`1 alarm stands` : t`${count} alarms stand`;
  return listView<AlarmRecord>({
    records,
    columns: [
      { header: t`ALARM`, cell: ({ alarm }) => alarm, isWhole: true },
      { header: t`SINCE`, cell: ({ since }) => since },
      { header: t`FOUND`, cell: ({ found }) => found, usefulWidth: 20 },
      { header: t`MEANS`, cell: (row) => ALARMS[nameOf(row)].means, below: 'sentence' },
      { header: t`TO DO`, cell: todo, below: 'sentence' },
    ],
    empty: t`Nothing is wrong.`,
    ...(count > 0 && { error: new ScripError('SHOP_ALARM', message) }),
  });
}

function trialView(trials: readonly AlarmTrial[]): View {
  const failed = trials.flatMap(({ way, failure }) => (failure ? [{ way, failure }] : []));
  return {
    kind: 'record',
    record: {
      sent_by: trials.flatMap(({ way, failure }) => (failure ? [] : [way])),
      failed: failed.map(({ way, failure }) => ({ way, message: failure.message })),
    },
    lines: trials.map(({ way, failure }) => [verbatim(way), failure?.sentence ?? t`taken`]),
    ...(failed[0] && { error: failed[0].failure }),
    ...(trials.length === 0 && {
      note: t`Only the log tells alarms: the configuration names no webhook and no mail in alarms.`,
    }),
  };
}

const MOST_WARNED = 999_999;

export function declareStock(command: Command, bind: Bind): void {
  const stock = command
    .command('stock')
    .description('list what the supplier has left by product and value, the lowest first')
    .option('--warn <number>', 'end with STOCK_LOW if less than this is left of any')
    .action(({ warn }: { warn?: string }, self: Command) => {
      const least =
        warn === undefined ? 0 : parseCount(warn, { flag: '--warn', most: MOST_WARNED });
      return onStore(bind, SHOP, self, async ({ admin }) => stockView(await admin.stock(), least));
    });
  addExamples(stock, [exampleOf(SHOP, 'stock'), exampleOf(SHOP, 'stock --warn 20')]);
}

function stockView(records: readonly StockRecord[], least: number): View {
  const low = records.filter(({ left, available }) =>
    left === null ? least > 0 && !available : left < least,
  );
  return listView<StockRecord>({
    records,
    columns: [
      { header: t`PRODUCT`, cell: ({ product, product_id: id }) => product || id },
      { header: t`VALUE`, cell: (row) => `${row.face_value} ${row.currency}`, align: 'right' },
      {
        header: t`LEFT`,
        cell: ({ left, available }) => left?.toString() ?? (available ? t`some` : t`none`),
        align: 'right',
      },
      { header: t`GIVEN`, cell: ({ given }) => given?.toString() ?? '', align: 'right' },
      { header: t`PRODUCT ID`, cell: ({ product_id: id }) => id, isWhole: true, dropOrder: 0 },
    ],
    empty: t`The catalog has no products.`,
    ...(low.length === 0 ? {} : { error: tooLow(low, least) }),
  });
}

function tooLow(low: readonly StockRecord[], least: number): ScripError {
  const message = t`Less than ${least} left of ${low.length} products and values`;
  const products = low.map(({ product_id: id, face_value: value }) => ({ id, value }));
  return new ScripError('STOCK_LOW', message, { details: { products } });
}

export function declareAudit(command: Command, bind: Bind): void {
  const audit = showPlace(command.command('audit'), SANDBOX)
    .description('check orders, payments, purchases and refunds against each other')
    .option('--chain-data <dir>', 'data folder of the chain, if another process serves it')
    .action((_flags: unknown, self: Command) =>
      onStore(bind, SANDBOX, self, async ({ admin }) => auditView(await admin.audit(), 'sandbox')),
    );
  addExamples(audit, ['sandbox audit', 'sandbox audit --data ./shop --json']);
}

export function declareBooks(command: Command, bind: Bind): void {
  const books = command
    .command('books')
    .description('check orders, payments and refunds against both nodes and the supplier')
    .option(
      '--since <date>',
      'only orders from this day (2026-11-01) or instant on, or the last 30d',
    )
    .action(({ since }: { since?: string }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin, context: { parts } }) => {
        const sinceMs = since === undefined ? undefined : sinceOf(since, parts.clock.now());
        return auditView(await admin.books(sinceMs), 'serve');
      }),
    );
  addExamples(books, [exampleOf(SHOP, 'books'), exampleOf(SHOP, 'books --since 30d')]);
}

function auditView(report: AuditReport, operated: OperatedBy): View {
  return {
    kind: 'record',
    record: report,
    lines: [
      [t`Result`, report.agrees ? t`No mismatches found` : t`Mismatches found`],
      ...countLines(report),
      ...moneyLines(report),
      ...mismatchLines(report, operated),
    ],
    ...(report.agrees ? {} : { error: disagreement(report) }),
  };
}

function countLines({ checked, open, not_checked: skipped }: AuditReport): readonly Line[] {
  return [
    [t`Transfers`, t`${checked.transfers} of ${checked.transactions} transactions`],
    [t`Payments`, t`${checked.settlements} on the checkout host`],
    [t`Orders`, t`${checked.partner_orders} of the partner API`],
    [t`Lines`, t`${checked.lines}; sales that the supplier lists: ${checked.purchases}`],
    [t`Refunds`, String(checked.refunds)],
    [t`Undecided`, t`${open} (payments, lines and sales)`],
    ...given(
      t`Not looked at`,
      skipped &&
        t`before ${skipped.before}: ${skipped.settlements} payments, ${skipped.partner_orders} orders, ${skipped.lines} lines, ${skipped.refunds} refunds`,
    ),
  ];
}

function moneyLines({ money = [] }: AuditReport): readonly Line[] {
  return money.map(({ what, network, coin, books, found }) => [
    verbatim([what, ...(network === null ? [] : [networkTitle(network)])].join(', ')),
    t`${books ?? '?'} by the records, ${found ?? '?'} found, in ${coin}`,
  ]);
}

function mismatchLines({ mismatches }: AuditReport, operated: OperatedBy): readonly Line[] {
  return mismatches.flatMap(({ kind, order_id, subject, expected, found }) => [
    [t`Mismatch`, t`${kind}: expected ${expected}, found ${found}`] as const,
    [t`About`, order_id === null ? subject : t`order ${order_id}, ${subject}`] as const,
    [t`To do`, todoOf({ kind, order_id, subject }, operated)] as const,
  ]);
}

function disagreement({ mismatches }: AuditReport): ScripError {
  const count = mismatches.length;
  const message = count === 1 ? t`1 mismatch found` : t`${count} mismatches found`;
  return new ScripError('AUDIT_MISMATCH', message, { details: { mismatches: count } });
}

export function declareWebhooks(command: Command, bind: Bind, operated: Operated): void {
  const webhooks = showPlace(command.command('webhooks'), operated)
    .description('list the webhooks that were not delivered')
    .option('--state <state>', WEBHOOK_STATES.join(', '), 'dead')
    .option('--limit <number>', 'maximum number', '100')
    .action((flags: { state: string; limit: string }, self: Command) => {
      const asked = { state: parseState(flags.state), limit: parseLimit(flags.limit) };
      return onStore(bind, operated, self, (opened) => listWebhooks(opened, asked));
    });
  addExamples(webhooks, [
    exampleOf(operated, 'webhooks'),
    exampleOf(operated, 'webhooks --state pending --json'),
  ]);
  const replay = showPlace(webhooks.command('replay'), operated)
    .description('send a webhook again, with a full set of retries')
    .argument('<webhook_id>', 'from the list of webhooks')
    .action((webhookId: string, _flags: unknown, self: Command) =>
      onStore(bind, operated, self, ({ admin }) => replayWebhook(admin, webhookId)),
    );
  addExamples(replay, [exampleOf(operated, 'webhooks replay <webhook_id>')]);
}

async function listWebhooks(
  { admin, command }: Opened<OperatorAdmin>,
  { state, limit }: { readonly state: WebhookState; readonly limit: number },
): Promise<View> {
  const records = await admin.webhooks.list(state, limit);
  const first = records[0]?.webhook_id;
  return listView<WebhookRecord>({
    records,
    columns: [
      { header: t`WEBHOOK`, cell: ({ webhook_id }) => webhook_id, isWhole: true },
      { header: t`STATUS`, cell: (row) => row.state },
      { header: t`ATTEMPTS`, cell: ({ attempts }) => String(attempts), align: 'right' },
      { header: t`ERROR`, cell: ({ last_error }) => last_error ?? '' },
      { header: t`NEXT TRY`, cell: ({ next_attempt_at }) => next_attempt_at ?? '', dropOrder: 1 },
      { header: t`URL`, cell: ({ url }) => url, usefulWidth: 30 },
    ],
    empty: t`No webhook is ${state}.`,
    ...(state === 'dead' && first !== undefined
      ? { note: commandText`Send one again: ${command('webhooks', 'replay', first)}` }
      : {}),
  });
}

async function replayWebhook({ webhooks, log }: OperatorAdmin, webhookId: string): Promise<View> {
  const work = () => webhooks.replay(webhookId);
  const record = await log.record('webhooks.replay', webhookId, work);
  return {
    kind: 'record',
    record,
    title: t`It is sent again`,
    lines: [
      [t`Webhook`, record.webhook_id],
      [t`Order`, record.order_id],
      [t`To`, record.url],
    ],
    note: t`A server that runs on this store sends it now; otherwise it is sent when one starts.`,
  };
}

function parseState(text: string): WebhookState {
  const state = WEBHOOK_STATES.find((known) => known === text);
  if (state) return state;
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a webhook state`, {
    hint: commandText`States: ${wordList(WEBHOOK_STATES)}.`,
  });
}
