/** A wallet's rails as one, for a repair: a damaged record does not say on which network it was paid. */

import type { SignedPayment } from '../../domain/journal/journal.ts';
import type { Horizon, OwnHistory, PayerRail, PayingRail } from '../../rails/rail.ts';

/** @param first the rail of what no record and no payment tells */
export function joinedRail(first: PayingRail, others: readonly PayingRail[]): PayerRail {
  const all = [first, ...others];
  const railOf = ({ payer }: SignedPayment): PayerRail =>
    all.find(({ rail }) => rail.isKeyAddress(payer))?.rail ?? first.rail;
  return {
    ...first.rail,
    recipientAccount: (payTo, asset) =>
      all.flatMap(({ rail }) => rail.recipientAccount(payTo, asset) ?? [])[0],
    payload: (payment) => railOf(payment).payload(payment),
    horizon: async (withinMs) => {
      const horizons = await Promise.all(all.map(({ rail }) => rail.horizon(withinMs)));
      const read = (payment: SignedPayment): ReturnType<Horizon['recover']> =>
        horizons[all.findIndex(({ rail }) => rail === railOf(payment))]?.recover(payment);
      return {
        covers: (payment) => horizons.some((one) => one.covers(payment)),
        isPast: async () => (await Promise.all(horizons.map((one) => one.isPast()))).every(Boolean),
        recover: read,
      };
    },
    ownPayments: async (_owner, query) => {
      const read = await Promise.all(
        all.map(({ rail, address }) => rail.ownPayments(address, query)),
      );
      const gap = read.find(({ isWhole }) => !isWhole)?.gap;
      return {
        payments: read.flatMap(({ payments }, at) =>
          payments.map((payment) => ({ ...payment, network: all[at]?.rail.network })),
        ),
        isWhole: read.every(({ isWhole }) => isWhole),
        gap,
      } satisfies OwnHistory;
    },
  };
}
