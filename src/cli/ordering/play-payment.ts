/** Simulates payments in the embedded sandbox for coins that have no chain there. */

import { asProgress } from '../../api/following.ts';
import type { Bought, Merchant } from '../../api/merchant.ts';
import { callPartner } from '../../api/partner/partner.ts';
import { partnerHost } from '../../api/partner/place.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { paySandboxOrder } from '../../contract/sandbox-orders.ts';
import { t } from '../../domain/message.ts';
import { awaitsPayment, isSimulated } from '../../domain/order-states.ts';
import { sentenceText } from '../output/wrap.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

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

/**
 * Offers to simulate the payment, and follows the order to its code.
 * @returns the finished order; undefined if the user declines
 * @throws {ScripError} INTERRUPTED and the codes of a call
 */
export async function playedPayment(
  context: ScripContext,
  merchant: Merchant,
  { order, waitMs }: { readonly order: WirePartnerOrder; readonly waitMs: number },
): Promise<Bought | undefined> {
  const { order_id: orderId, coin = '' } = order;
  const { progress, stderr, prompter, localize } = context.io;
  progress.done();
  const why = t`The built-in sandbox has no ${coin}: it simulates the payment.`;
  stderr.write(sentenceText(localize(why), stderr));
  const question = t`Pay it with test ${coin}?`;
  if (!(await prompter.confirm(question, { isYesUsual: true }))) return undefined;
  const deps = scripDeps(context);
  await callPartner(partnerHost(deps), paySandboxOrder, { order_id: orderId });
  const { document, error } = await merchant.follow(orderId, {
    mode: 'auto',
    timeoutMs: waitMs,
    ...asProgress(deps, orderId),
  });
  deps.progress.done();
  return { document, error, isBoughtBefore: false };
}
