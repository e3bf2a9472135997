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
  deps: Pick<ScripDeps, 'rail' | 'signer'>,
  merchant: Merchant,
  orderId: string,
): AsyncGenerator<OrderState> {
  const read: OrderSnapshot[] = [];
  const end: { reason?: { readonly error: unknown } } = {};
  let wake = (): void => undefined;
  const see = (snapshot: OrderSnapshot): void => {
    read.push(snapshot);
    wake();
  };
  const finish = (error?: unknown): void => {
    end.reason = { error };
    wake();
  };
  merchant.follow(orderId, { mode: 'auto', timeoutMs: FOLLOW_MS, seen: see }).then((snapshot) => {
    see(snapshot);
    finish();
  }, finish);
  for (let told: string | undefined; ; ) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (let snapshot = read.shift(); snapshot !== undefined; snapshot = read.shift()) {
      const state = stateOf(orderId, snapshot);
      const name = `${state.status} ${snapshot.paymentState} ${state.isFinal}`;
      if (name !== told) {
        const refunds = mayHaveRefunds(snapshot) ? await refundsFor(deps, merchant, orderId) : [];
        yield { ...state, refunds };
      }
      told = name;
    }
    if (end.reason?.error !== undefined) throw end.reason.error;
    if (end.reason !== undefined) return;
    await woken;
  }
}

function stateOf(
  orderId: string,
  { document, status, isOver }: OrderSnapshot,
): Omit<OrderState, 'refunds'> {
  return { orderId, status, isFinal: isOver, deliveries: deliveriesIn(document) };
}
