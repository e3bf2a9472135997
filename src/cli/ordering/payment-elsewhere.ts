/** Shows how an order is paid that no wallet here pays, or simulates its payment in the sandbox; and follows it to its code. */

import { asProgress } from '../../api/following.ts';
import type { Bought, Merchant } from '../../api/merchant.ts';
import { callPartner } from '../../api/partner/partner.ts';
import { partnerHost } from '../../api/partner/place.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { paySandboxOrder } from '../../contract/sandbox-orders.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { awaitsPayment, isSimulated } from '../../domain/order/order-states.ts';
import type { With } from '../context.ts';
import { titleOf } from '../orders/partner-order.ts';
import { localRecord } from '../output/local-view.ts';
import { writeRecord } from '../output/record-text.ts';
import type { Line, RecordView } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { drawSummary } from './summary.ts';

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
  return followed(context, merchant, { orderId, waitMs });
}

/** The order once it has ended, or the time is up. @throws {ScripError} INTERRUPTED as `stoppedAt` */
async function followed(
  context: ScripContext,
  merchant: Pick<Merchant, 'follow'>,
  { orderId, waitMs: timeoutMs }: { readonly orderId: string; readonly waitMs: number },
): Promise<Bought> {
  const deps = scripDeps(context);
  const { document, error } = await merchant
    .follow(orderId, { mode: 'auto', timeoutMs, ...asProgress(deps, orderId) })
    .catch((failure: unknown) => {
      throw stoppedAt(failure, orderId);
    });
  deps.progress.done();
  return { document, error, isBoughtBefore: false };
}

/** Returns the error; for a wait that the user stopped, one with the command that waits again. */
export function stoppedAt(error: unknown, orderId: string): unknown {
  if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') return error;
  return remade(error, {
    sentence: t`Stopped waiting for order ${orderId}`,
    details: { order_id: orderId },
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
  const how = isPlayed ? (shown.note ?? []) : [];
  const end = [...how, localize(t`Ctrl-C stops waiting and keeps the order.`)];
  const endText = end.map((sentence) => sentenceText(sentence, stderr)).join('');
  await writeRecord(shown, { stdout: stderr, stderr }, endText);
  stderr.write(endText);
}

/** Returns the order if no wallet can pay it. */
export function unpayableOrder(
  { settings }: Pick<ScripContext, 'settings'>,
  { document }: Pick<Bought, 'document'>,
): WirePartnerOrder | undefined {
  if (!settings.isEmbedded || document.form !== 'partner') return undefined;
  const { order } = document;
  const isOpen = awaitsPayment({ orderState: order.order_state });
  return isOpen && isSimulated(order) ? order : undefined;
}

/** Shows an order that was placed before, as its purchase was shown, above the question of its payment. */
export async function tellUnpaid(
  { io }: Pick<ScripContext, 'io'>,
  order: WirePartnerOrder,
): Promise<void> {
  const { coin = '', coin_amount: price = '', deliveries = [] } = order;
  const paid = t`${`${priceText(price, coin)} ${coin}`} of test money`;
  const lines: Line[] = [
    ...deliveries.map(
      ({ deliverable }) => [t`For`, deliverable.beneficiary_account ?? ''] as const,
    ),
    [t`Pay`, t`${paid}; the sandbox simulates the payment`],
  ];
  io.progress.done();
  io.stderr.write(await drawSummary({ title: t`${titleOf(order) ?? t`Order`}`, lines }, io));
}

/**
 * Offers to simulate the payment, and follows the order to its code.
 * @throws {ScripError} as `offerPlayedPayment`
 */
export async function playedPayment(
  context: ScripContext,
  merchant: Merchant,
  { order, waitMs }: { readonly order: WirePartnerOrder; readonly waitMs: number },
): Promise<Bought> {
  await offerPlayedPayment(context, order);
  return followed(context, merchant, { orderId: order.order_id, waitMs });
}

/**
 * Asks, then simulates the payment.
 * @throws {ScripError} DECLINED, INTERRUPTED and the codes of a call
 */
export async function offerPlayedPayment(
  context: ScripContext,
  { order_id: orderId, coin = '' }: WirePartnerOrder,
): Promise<void> {
  const { progress, stderr, prompter, localize } = context.io;
  progress.done();
  const why = t`The built-in sandbox has no ${coin}: it simulates the payment.`;
  stderr.write(sentenceText(localize(why), stderr));
  const question = t`Pay it with test ${coin}?`;
  const isWanted = await prompter.confirm(question, { isYesUsual: true }).catch(
    expected((error) => {
      throw leftUnpaid('INTERRUPTED', orderId, error);
    }, 'INTERRUPTED'),
  );
  if (!isWanted) throw leftUnpaid('DECLINED', orderId);
  await callPartner(partnerHost(scripDeps(context)), paySandboxOrder, { order_id: orderId });
}

/** The question comes after the order: No and Ctrl-C keep the order. */
function leftUnpaid(
  code: 'DECLINED' | 'INTERRUPTED',
  orderId: string,
  cause?: ScripError,
): ScripError {
  return new ScripError(code, t`Order ${orderId} was placed and is not paid`, {
    cause,
    details: { order_id: orderId },
    fundsAtRisk: 'none',
    hint: commandText`To simulate the payment: scrip sandbox pay ${orderId}`,
  });
}
