/** `webhooks` and `webhooks replay`, of a sandbox or of a shop. */

import type { Command } from 'commander';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { OperatorAdmin } from '../../domain/operator.ts';
import {
  WEBHOOK_STATES,
  type WebhookRecord,
  type WebhookState,
} from '../../domain/webhook-record.ts';
import { addExamples, type Bind } from '../command.ts';
import { listView, type View } from '../output/view.ts';
import { exampleOf, type Opened, type Operated, onStore, showPlace } from './operated.ts';
import { parseLimit } from './serving.ts';

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
