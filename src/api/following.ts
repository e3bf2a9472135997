/** Reports the progress of a followed order. */

import { type Message, t } from '../domain/message/message.ts';
import { hasPaymentNews, stateMeaning } from '../domain/order/order-states.ts';
import type { FollowOptions, OrderSnapshot } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

/** Returns callbacks that show each change of an order as progress. */
export function asProgress(
  { progress }: Pick<ScripDeps, 'progress'>,
  orderId: string,
): Required<Pick<FollowOptions, 'seen' | 'reconnecting' | 'unanswered'>> {
  return {
    seen: (snapshot) => progress.step(progressText(snapshot, orderId), { isSafe: true }),
    reconnecting: (reason, waitMs) =>
      progress.step(t`The stream ended (${reason}); reconnecting in ${waitMs / 1_000} s`),
    unanswered: ({ sentence }) => progress.step(t`${sentence}; asking again`),
  };
}

/** In words; short enough for one line with the time that has passed. */
function progressText(
  { status, paymentState }: Pick<OrderSnapshot, 'status' | 'paymentState'>,
  orderId: string,
): Message {
  const payment = hasPaymentNews({ orderState: status, paymentState })
    ? stateMeaning('payment', paymentState ?? '')
    : undefined;
  return payment ?? stateMeaning('order', status) ?? t`Order ${orderId} is ${status}`;
}
