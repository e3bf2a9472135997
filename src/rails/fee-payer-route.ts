/** Which facilitator has a payment: the one that signs for the fee payer that the payment names. */

import type { PaymentRequirement } from '../contract/x402.ts';
import type { Facilitator } from './merchant-rail.ts';

/**
 * Our own facilitator, and another one beside it. A payment stays with the one that it was made for, also once
 * the configuration names the other: what was handed over is decided by the chain alone.
 * @param current the one that new payments are made for
 */
export function routeByFeePayer({
  own,
  feePayer,
  remote,
  current,
}: {
  readonly own: Facilitator;
  /** Our own fee payer's address. */
  readonly feePayer: string;
  readonly remote: Facilitator;
  readonly current: Facilitator;
}): Facilitator {
  const of = ({ extra }: PaymentRequirement) => (extra?.feePayer === feePayer ? own : remote);
  return {
    supported: current.supported,
    verify: (payload, requirement) => of(requirement).verify(payload, requirement),
    settle: (payload, requirement, options) =>
      of(requirement).settle(payload, requirement, options),
    async checkFunds() {
      // The shop's own transfers need SOL, also where a facilitator pays for buyers' payments.
      await own.checkFunds();
      if (current !== own) await current.checkFunds();
    },
  };
}
