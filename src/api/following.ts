/** Reports the progress of a followed order. */

import { t } from '../domain/message.ts';
import type { FollowOptions } from './merchant.ts';
import type { ScripDeps } from './scrip.ts';

/** Returns callbacks that show each change of an order as progress. */
export function asProgress(
  { progress }: Pick<ScripDeps, 'progress'>,
  orderId: string,
): Required<Pick<FollowOptions, 'seen' | 'reconnecting'>> {
  return {
    seen: ({ status, paymentState }) =>
      progress.step(
        paymentState === null
          ? t`Order ${orderId} is ${status}`
          : t`Order ${orderId} is ${status} (payment: ${paymentState})`,
        { isSafe: true },
      ),
    reconnecting: (reason, waitMs) =>
      progress.step(t`The stream ended (${reason}); reconnecting in ${waitMs / 1_000} s`),
  };
}
