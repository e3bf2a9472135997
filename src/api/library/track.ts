/** Follows an order as an async iterator of its states. */

import type { Merchant, OrderSnapshot } from '../merchant.ts';
import { mayHaveRefunds } from '../proven-refunds.ts';
import type { ScripDeps } from '../scrip.ts';
import { deliveriesIn, refundsFor } from './outcome.ts';
import type { OrderState } from './public.ts';

/** Longer than a merchant leaves an order open. */
const FOLLOW_MS = 24 * 60 * 60 * 1_000;

/**
 * Yields each state once, until the order is final.
 * @throws {ScripError} ORDER_UNKNOWN, INTERRUPTED and the codes of a call
 */
export async function* statesOf(
  deps: Pick<ScripDeps, 'rail' | 'signer' | 'place'>,
  merchant: Merchant,
  orderId: string,
): AsyncGenerator<OrderState> {
  let isRead = true;
  const failures: unknown[] = [];
  const snapshots = new ReadableStream<OrderSnapshot>({
    start(controller) {
      const seen = (snapshot: OrderSnapshot): void => {
        if (isRead) controller.enqueue(snapshot);
      };
      merchant.follow(orderId, { mode: 'auto', timeoutMs: FOLLOW_MS, seen }).then(
        (last) => {
          seen(last);
          if (isRead) controller.close();
        },
        // Closed, as an error would drop the states that were not read yet.
        (error) => {
          failures.push(error);
          if (isRead) controller.close();
        },
      );
    },
    cancel: () => {
      isRead = false;
    },
  });
  let told: string | undefined;
  for await (const snapshot of snapshots) {
    const { document, status, paymentState, isOver: isFinal } = snapshot;
    const name = `${status} ${paymentState} ${isFinal}`;
    if (name === told) continue;
    told = name;
    const refunds = mayHaveRefunds(snapshot) ? await refundsFor(deps, merchant, orderId) : [];
    yield { orderId, status, isFinal, deliveries: deliveriesIn(document), refunds };
  }
  for (const error of failures) throw error;
}
