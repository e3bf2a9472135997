/** `scrip sandbox audit` and `scrip sandbox webhooks`: for the operator of a data folder. */

import type { Command } from 'commander';
import { type AuditReport, todoOf } from '../../domain/audit.ts';
import { commandText, ownText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import {
  WEBHOOK_STATES,
  type WebhookRecord,
  type WebhookState,
} from '../../domain/webhook-record.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import { type Line, listView, type View } from '../output/view.ts';
import type { AdminPlace, OperatorAdmin } from './ports.ts';

interface PlaceFlags {
  readonly data?: string;
  readonly chainData?: string;
  readonly database?: string;
}

export function declareAdminCommands(command: Command, bind: Bind): void {
  const audit = command
    .command('audit')
    .description('check orders, payments, purchases and refunds against each other')
    .option('--chain-data <dir>', 'data folder of the chain, if another process serves it')
    .action((_flags: unknown, self: Command) =>
      bind((context) => runAudit(context, placeOf(self))),
    );
  addExamples(audit, ['sandbox audit', 'sandbox audit --data ./shop --json']);
  declareWebhooks(command, bind);
}

function declareWebhooks(command: Command, bind: Bind): void {
  const webhooks = command
    .command('webhooks')
    .description('list the webhooks that were not delivered')
    .option('--state <state>', WEBHOOK_STATES.join(', '), 'dead')
    .option('--limit <number>', 'maximum number', '100')
    .action((flags: { state: string; limit: string }, self: Command) => {
      const asked = { state: parseState(flags.state), limit: parseLimit(flags.limit) };
      return bind((context) => listWebhooks(context, placeOf(self), asked));
    });
  addExamples(webhooks, ['sandbox webhooks', 'sandbox webhooks --state pending --json']);
  const replay = webhooks
    .command('replay')
    .description('send a webhook again, with a full set of retries')
    .argument('<webhook_id>', 'from scrip sandbox webhooks')
    .action((webhookId: string, _flags: unknown, self: Command) =>
      bind((context) => replayWebhook(context, placeOf(self), webhookId)),
    );
  addExamples(replay, ['sandbox webhooks replay <webhook_id>']);
}

/** Commander stores `--data` in the command that declares it, even if it is typed after a subcommand. */
function placeOf(command: Command): AdminPlace {
  const { data, chainData, database } = command.optsWithGlobals<PlaceFlags>();
  return { dataDir: data, chainDir: chainData, database };
}

async function withAdmin<T>(
  { serving }: With<'serving'>,
  place: AdminPlace,
  work: (admin: OperatorAdmin) => Promise<T>,
): Promise<T> {
  const admin = await serving.openSandboxAdmin(place);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

async function runAudit(context: With<'serving'>, place: AdminPlace): Promise<View> {
  const report = await withAdmin(context, place, (admin) => admin.audit());
  return {
    kind: 'record',
    record: report,
    title: report.agrees ? t`No mismatches found` : t`Mismatches found`,
    lines: [...countLines(report), ...mismatchLines(report)],
    ...(report.agrees ? {} : { error: disagreement(report) }),
  };
}

function countLines({ checked, open, callers }: AuditReport): readonly Line[] {
  return [
    [t`Transfers`, t`${checked.transfers} of ${checked.transactions} transactions`],
    [t`Payments`, t`${checked.settlements} on the checkout host`],
    [t`Orders`, t`${checked.partner_orders} of the partner API`],
    [t`Lines`, t`${checked.lines}; bought from the supplier: ${checked.purchases}`],
    [t`Refunds`, String(checked.refunds)],
    [t`Undecided`, t`${open} (payments and lines)`],
    ...callers.map(callerLine),
  ];
}

function callerLine({ caller, payments, lamports }: AuditReport['callers'][number]) {
  return [t`Settled for`, t`${caller}: ${payments} payments today, ${lamports} lamports`] as const;
}

function mismatchLines({ mismatches }: AuditReport): readonly Line[] {
  return mismatches.flatMap(({ kind, order_id, subject, expected, found }) => [
    [t`Mismatch`, t`${kind}: expected ${expected}, found ${found}`] as const,
    [t`About`, order_id === null ? subject : t`order ${order_id}, ${subject}`] as const,
    [t`To do`, todoOf({ kind, order_id })] as const,
  ]);
}

function disagreement({ mismatches }: AuditReport): ScripError {
  const count = mismatches.length;
  const message = count === 1 ? t`1 mismatch found` : t`${count} mismatches found`;
  return new ScripError('AUDIT_MISMATCH', message, { details: { mismatches: count } });
}

async function listWebhooks(
  context: With<'serving'>,
  place: AdminPlace,
  { state, limit }: { readonly state: WebhookState; readonly limit: number },
): Promise<View> {
  const records = await withAdmin(context, place, (admin) => admin.webhooks.list(state, limit));
  const first = records[0]?.webhook_id;
  return listView<WebhookRecord>({
    records,
    columns: [
      { header: t`WEBHOOK`, cell: ({ webhook_id }) => webhook_id, isWhole: true },
      { header: t`STATE`, cell: (row) => row.state },
      { header: t`ATTEMPTS`, cell: ({ attempts }) => String(attempts), align: 'right' },
      { header: t`ERROR`, cell: ({ last_error }) => last_error ?? '' },
      { header: t`NEXT TRY`, cell: ({ next_attempt_at }) => next_attempt_at ?? '', dropOrder: 1 },
      { header: t`URL`, cell: ({ url }) => url, usefulWidth: 30 },
    ],
    empty: t`No webhook is ${state}.`,
    ...(state === 'dead'
      ? {
          note: commandText`Send one again: scrip sandbox webhooks replay ${first ?? ownText('<webhook_id>')}`,
        }
      : {}),
  });
}

async function replayWebhook(
  context: With<'serving'>,
  place: AdminPlace,
  webhookId: string,
): Promise<View> {
  const record = await withAdmin(context, place, (admin) => admin.webhooks.replay(webhookId));
  return {
    kind: 'record',
    record,
    title: t`It is sent again`,
    lines: [
      [t`Webhook`, record.webhook_id],
      [t`Order`, record.order_id],
      [t`To`, record.url],
    ],
    note: t`A running sandbox on this folder sends it now; otherwise it is sent when one starts.`,
  };
}

function parseState(text: string): WebhookState {
  const state = WEBHOOK_STATES.find((known) => known === text);
  if (state) return state;
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a webhook state`, {
    hint: commandText`States: ${wordList(WEBHOOK_STATES)}.`,
  });
}

const MOST_LISTED = 10_000;

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= MOST_LISTED) return limit;
  throw new ScripError(
    'INPUT_INVALID',
    t`--limit "${text}" is not a number from 1 to ${MOST_LISTED}`,
  );
}
