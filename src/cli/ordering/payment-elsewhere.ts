/** Shows how an order is paid that no wallet here pays, while it is followed to its code. */

import { asProgress } from '../../api/following.ts';
import type { Bought, Merchant } from '../../api/merchant.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { awaitsPayment, isSimulated } from '../../domain/order-states.ts';
import type { With } from '../context.ts';
import { localRecord } from '../output/local-view.ts';
import { writeRecord } from '../output/record-text.ts';
import type { RecordView } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

/**
 * On a terminal, waits for the payment and returns the finished order.
 * @returns undefined for a script, which reads the address itself, and for an order that is not awaiting
 * payment
 * @throws {ScripError} INTERRUPTED with the command that follows the order, and the codes of a call
 */
export async function paidElsewhere(
  context: ScripContext,
  merchant: Pick<Merchant, 'follow'>,
  {
    made: { document },
    view,
    waitMs,
  }: { readonly made: Bought; readonly view: RecordView; readonly waitMs: number },
): Promise<Bought | undefined> {
  const { mayPrompt, isJson } = context.settings;
  if (!mayPrompt || isJson || document.form !== 'partner') return undefined;
  const { order_id: orderId, order_state: orderState } = document.order;
  if (!awaitsPayment({ orderState })) return undefined;
  await showPayment(context, view, isSimulated(document.order));
  const deps = scripDeps(context);
  try {
    const followed = await merchant.follow(orderId, {
      mode: 'auto',
      timeoutMs: waitMs,
      ...asProgress(deps, orderId),
    });
    deps.progress.done();
    return { ...followed, isBoughtBefore: false };
  } catch (error) {
    throw stoppedAt(error, orderId);
  }
}

/** Returns the error; for a wait that the user stopped, one with the command that waits again. */
export function stoppedAt(error: unknown, orderId: string): unknown {
  if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') return error;
  return new ScripError('INTERRUPTED', t`Stopped waiting for order ${orderId}`, {
    cause: error,
    details: { order_id: orderId },
    fundsAtRisk: error.fundsAtRisk,
    hint: commandText`To keep waiting: scrip track ${orderId}`,
  });
}

/** Prints to stderr: stdout is for what was bought. */
export async function showPayment(
  { io: { stderr, progress, localize } }: With<'io'>,
  view: RecordView,
  isPlayed: boolean,
): Promise<void> {
  progress.done();
  const shown = localRecord(view, localize);
  const how = isPlayed && shown.note !== undefined ? sentenceText(shown.note, stderr) : '';
  const end = t`Ctrl-C stops waiting and keeps the order.`;
  const endText = how + sentenceText(localize(end), stderr);
  await writeRecord(shown, { stdout: stderr, stderr }, endText);
  stderr.write(endText);
}
