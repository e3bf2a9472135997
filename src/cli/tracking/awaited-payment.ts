/** Tells a person at a terminal how the followed order is paid, and then how it moves on. */

import { asProgress } from '../../api/following.ts';
import type { FollowOptions, OrderSnapshot } from '../../api/merchant.ts';
import { awaitsPayment, isSimulated } from '../../domain/order-states.ts';
import type { With } from '../context.ts';
import type { PaymentWindow } from '../orders/payment-window.ts';

interface Told extends Required<Pick<FollowOptions, 'seen' | 'reconnecting' | 'unanswered'>> {
  /** Resolves when everything so far is on the screen. */
  settled(): Promise<void>;
}

export function toldWhileFollowed(
  context: With<'settings' | 'io'>,
  {
    orderId,
    window,
    isWaiting,
  }: {
    readonly orderId: string;
    readonly window: PaymentWindow;
    /** Otherwise the order is printed at once, and says how it is paid. */
    readonly isWaiting: boolean;
  },
): Told {
  const { settings, io } = context;
  const progress = asProgress(io, orderId);
  const isRead = isWaiting && io.stderr.isTerminal && settings.output.format === 'text';
  // One text after the other: the way to pay may have a picture, which is drawn later.
  let telling: Promise<void> = Promise.resolve();
  let isAtStart = true;
  return {
    seen: (snapshot) => {
      if (isAtStart && isRead) telling = toldHowToPay(context, snapshot, window);
      isAtStart = false;
      telling = telling.then(() => progress.seen(snapshot));
    },
    reconnecting: progress.reconnecting,
    unanswered: progress.unanswered,
    settled: () => telling,
  };
}

async function toldHowToPay(
  context: With<'io'>,
  { document }: OrderSnapshot,
  window: PaymentWindow,
): Promise<void> {
  if (document.form !== 'partner') return;
  const { order } = document;
  if (!awaitsPayment({ orderState: order.order_state })) return;
  const [{ partnerOrderView }, { showPayment }] = await Promise.all([
    import('../orders/partner-order.ts'),
    import('../ordering/payment-elsewhere.ts'),
  ]);
  await showPayment(context, await partnerOrderView(order, undefined, window), isSimulated(order));
}
