/** `scrip approvals`: what agents asked to pay, and the answers of a person at a terminal. */

import type { Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, t } from '../../domain/message/message.ts';
import { answerApproval, readApprovals } from '../agents/approvals.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { localMinute } from '../output/instant.ts';
import { listView, type RecordView, type View } from '../output/view.ts';
import type { Approval } from '../schemas/machine.ts';

export function register(command: Command, bind: Bind): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list what agents asked to pay (the default)')
    .action(() => bind(listApprovals));
  const answer = command
    .command('answer')
    .description('show one question in a terminal, and approve or refuse it')
    .argument('[order_id]', 'its order, or the beginning of its id, if several wait')
    .action((id: string | undefined) => bind((context) => answerOne(context, id)));
  addExamples(list, ['approvals', 'approvals list --json']);
  addExamples(answer, ['approvals answer', 'approvals answer <order_id>']);
}

async function listApprovals({ files, parts }: BuyerContext): Promise<View> {
  const { open } = await readApprovals(files.approvals, parts.clock);
  const isWaiting = open.some(({ state }) => state === 'waiting');
  return listView({
    records: open,
    columns: [
      { header: t`ORDER`, cell: ({ order_id }) => order_id, isWhole: true },
      { header: t`STATE`, cell: ({ state }) => state, isWhole: true },
      { header: t`UNTIL`, cell: ({ expires_at }) => localMinute(expires_at), isWhole: true },
      {
        header: t`QUESTION`,
        cell: ({ question }) => question.split('\n')[0] ?? '',
        below: 'sentence',
      },
    ],
    empty: t`No payment waits for an approval.`,
    ...(isWaiting && { note: commandText`Answer one: scrip approvals answer <order_id>` }),
  });
}

/** @throws {ScripError} TERMINAL_REQUIRED: a script, or an agent's shell, cannot approve; ORDER_UNKNOWN */
async function answerOne(context: BuyerContext, id: string | undefined): Promise<RecordView> {
  const { files, parts, io, settings } = context;
  if (!settings.mayPrompt) {
    throw new ScripError(
      'TERMINAL_REQUIRED',
      t`Only a person at a terminal can approve a payment`,
      {
        hint: t`Run it in a terminal, where you can confirm it.`,
      },
    );
  }
  const { open } = await readApprovals(files.approvals, parts.clock);
  const waiting = open.filter(({ state }) => state === 'waiting');
  const meant = waiting.filter(({ order_id }) => order_id.startsWith(id ?? ''));
  // Of several that begin so, none is meant.
  const shown = id === undefined || meant.length === 1 ? meant[0] : undefined;
  if (shown === undefined) {
    throw new ScripError('ORDER_UNKNOWN', t`No such payment waits for an approval`, {
      hint: commandText`See what waits: scrip approvals`,
    });
  }
  const lines = shown.question.split('\n').map((line) => `${escapeText(line)}\n`);
  io.stderr.write(lines.join(''));
  const isYes = await io.prompter.confirm(t`Let the agent pay this?`);
  return answeredView(
    await answerApproval(files.approvals, parts.clock, shown, isYes ? 'approved' : 'refused'),
  );
}

function answeredView(answered: Approval): RecordView {
  return {
    kind: 'record',
    record: answered,
    lines: [
      [t`Order`, answered.order_id],
      [t`Answer`, answered.state],
    ],
    ...(answered.state === 'approved' && {
      note: t`The agent may now pay it once. Tell it to go on.`,
    }),
  };
}
