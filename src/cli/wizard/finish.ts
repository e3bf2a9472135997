/** After the order was made: one that is paid from another wallet is shown, and followed to its code. */

import { toldAsProgress } from '../../api/following.ts';
import { openMerchant } from '../../api/merchants.ts';
import { partnerOrder, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { awaitsPayment } from '../../domain/order-states.ts';
import type { With } from '../context.ts';
import { linesText } from '../ordering/summary.ts';
import { boughtView } from '../orders/bought.ts';
import { forOutput } from '../orders/codes.ts';
import type { RecordView, View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Way } from './deal.ts';

interface Finishing {
  readonly way: Way | undefined;
  readonly options: {
    readonly isWaiting: boolean;
    readonly isRevealed: boolean;
    readonly timeoutMs: number;
  };
}

/**
 * The view of an order that is paid by now; for a script also of one that is not, with its address.
 * @throws {ScripError} INTERRUPTED with the command that goes on following, and the codes of a call
 */
export async function finish(
  context: ScripContext,
  view: RecordView,
  { way, options }: Finishing,
): Promise<View> {
  const { mayPrompt, isJson } = context.settings;
  if (way !== 'elsewhere' || !mayPrompt || isJson || !options.isWaiting) return view;
  const order = readOrder(view);
  if (order === undefined || !awaitsPayment({ orderState: order.order_state })) return view;
  showPayment(context, view);
  const { order_id: orderId } = order;
  const again = view.again === undefined ? {} : { again: view.again };
  const deps = scripDeps(context);
  const merchant = await openMerchant(deps, 'partner');
  try {
    const { document, error } = await merchant.follow(orderId, {
      mode: 'auto',
      timeoutMs: options.timeoutMs,
      ...toldAsProgress(deps, orderId),
    });
    deps.progress.done();
    const followed = await boughtView(
      { document, error, isBoughtBefore: false },
      { isPaid: false, isResumed: false, isPlay: context.settings.isEmbedded },
    );
    return forOutput(context, { ...followed, ...again }, options);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
    throw new ScripError('INTERRUPTED', t`stopped; order ${orderId} is made`, {
      cause: error,
      details: { order_id: orderId },
      hint: commandText`To go on waiting: scrip track ${orderId}`,
    });
  }
}

function readOrder({ record }: RecordView): WirePartnerOrder | undefined {
  const read = partnerOrder().safeParse(record);
  return read.success ? read.data : undefined;
}

/** On stderr, each value whole on its line: standard output is for what was bought. */
function showPayment(
  { io: { stderr, progress, localize } }: With<'io'>,
  { lines, screen, picture }: RecordView,
): void {
  progress.done();
  if (picture !== undefined) stderr.write(picture);
  const shown = screen === undefined ? lines : screen.flat();
  stderr.write(linesText(shown, localize));
  stderr.write(`${localize(t`Waiting for the payment. Ctrl-C stops waiting; the order stays.`)}\n`);
}
