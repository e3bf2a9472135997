/** Simulates payments in the embedded sandbox for coins that have no chain there. */

import { asProgress } from '../../api/following.ts';
import type { Bought, Merchant } from '../../api/merchant.ts';
import { callPartner } from '../../api/partner/partner.ts';
import { partnerHost } from '../../api/partner/place.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { paySandboxOrder } from '../../contract/sandbox-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { awaitsPayment, isSimulated } from '../../domain/order-states.ts';
import { priceText } from '../../domain/shown-amount.ts';
import { titleOf } from '../orders/partner-order.ts';
import type { Line } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { stoppedAt } from './payment-elsewhere.ts';
import { drawSummary } from './summary.ts';

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
  const { order_id: orderId } = order;
  await offerPlayedPayment(context, order);
  const deps = scripDeps(context);
  const { document, error } = await merchant
    .follow(orderId, { mode: 'auto', timeoutMs: waitMs, ...asProgress(deps, orderId) })
    .catch((failure: unknown) => {
      throw stoppedAt(failure, orderId);
    });
  deps.progress.done();
  return { document, error, isBoughtBefore: false };
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
  const isWanted = await prompter
    .confirm(question, { isYesUsual: true })
    .catch((error: unknown) => {
      const isStopped = error instanceof ScripError && error.code === 'INTERRUPTED';
      throw isStopped ? leftUnpaid('INTERRUPTED', orderId, error) : error;
    });
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
    ...(cause === undefined ? {} : { cause }),
    details: { order_id: orderId },
    fundsAtRisk: 'none',
    hint: commandText`To simulate the payment: scrip sandbox pay ${orderId}`,
  });
}
