/** Simulates payments that expire unsent, for buyers tagged `ann+expired@…`: it countersigns nothing. */
import type { WireOrderRequest } from '../contract/checkout.ts';
import type { Clock } from '../domain/clock.ts';
import type { Facilitator, MerchantRail } from '../rails/merchant-rail.ts';
import type { Store } from '../store/store.ts';
import { tagsOf } from './partner/tags.ts';

/** The tag in the buyer's address. */
const EXPIRED = 'expired';
/** How long the payment stays pending. */
const PENDING_MS = 3_000;
/** The embedded facilitator's reason for an expired payment. */
const REASON = 'invalid_exact_svm_transaction_expired';

export function expiringFacilitator(
  facilitator: Facilitator,
  {
    store,
    rail,
    clock,
  }: { readonly store: Store; readonly rail: MerchantRail; readonly clock: Pick<Clock, 'now'> },
): Facilitator {
  return {
    ...facilitator,
    settle: async (payload, requirement, options) => {
      const { messageHash, payer } = rail.inspect(payload);
      const { sessions, settlements } = store.tables;
      const settlement = await settlements.byMessage(messageHash);
      const session = settlement && (await sessions.byId(settlement.sessionId));
      if (settlement === undefined || session === undefined || !isChosen(session.body)) {
        return facilitator.settle(payload, requirement, options);
      }
      const isOver = clock.now() >= settlement.createdAtMs + PENDING_MS;
      const errorReason = isOver ? REASON : 'settlement_pending';
      return { success: false, transaction: '', network: rail.network, payer, errorReason };
    },
  };
}

function isChosen(body: string): boolean {
  const { email }: WireOrderRequest = JSON.parse(body);
  return tagsOf(email).includes(EXPIRED);
}
