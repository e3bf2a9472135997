/**
 * Decides which of several machines with the same wallet and idempotency key may pay an order. A host that
 * gives out turns gives one at a time. Only the chain decides, never a clock: a holder signs within a fixed
 * time, and the next run waits until nothing signed in that time can land.
 */

import { takePaymentLease, type WirePaymentLease } from '../../contract/order-key.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import type { SignedPayment } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { RETRYABLE_BEFORE_SIGNING } from '../../domain/payment/retry.ts';
import type { Horizon, PayerRail } from '../../rails/rail.ts';
import { callPartner, type PartnerHost } from '../partner/partner.ts';

/** How long after requesting the turn its holder may sign. */
const TURN_MS = 40_000;

export type Turn =
  | {
      readonly kind: 'mine';
      /**
       * Rejects a payment signed after the turn, before it is sent.
       * @throws {ScripError} CHALLENGE_EXPIRED
       */
      check(signed: SignedPayment): void;
    }
  | { readonly kind: 'wait'; readonly reason: Said };

export type Turns = ReturnType<typeof openTurns>;

const FREE: Turn = { kind: 'mine', check: () => undefined };

export function openTurns(host: PartnerHost & { readonly rail: Pick<PayerRail, 'horizon'> }) {
  /** How often the turn was passed on, and until when another holder's payment can land. */
  let passed: { readonly count: number; readonly horizon: Horizon } | undefined;
  return {
    /** Requests the turn. @throws {ScripError} CHAIN_UNREACHABLE, INTERRUPTED */
    ask: async (order: { readonly orderId: string; readonly holder: string }): Promise<Turn> => {
      // Read before asking the host: the turn cannot have begun earlier.
      const own = await host.rail.horizon(TURN_MS);
      const lease = await askHost(host, { order_id: order.orderId, holder: order.holder });
      if (lease === 'none') return FREE;
      if (lease instanceof ScripError) return { kind: 'wait', reason: lease.sentence };
      if (!lease.is_held) return { kind: 'wait', reason: TAKEN };
      if (lease.passed_on > 0) {
        if (passed?.count !== lease.passed_on) {
          passed = { count: lease.passed_on, horizon: await host.rail.horizon(TURN_MS) };
        }
        if (!(await passed.horizon.isPast())) return { kind: 'wait', reason: PASSED_ON };
      }
      return { kind: 'mine', check: checkAgainst(own) };
    },
  };
}

const TAKEN = t`Another run with this key is paying this order`;
const PASSED_ON = t`Another run was paying: waiting until its payment can no longer be confirmed (about 2 min)`;

async function askHost(
  host: PartnerHost,
  asked: { readonly order_id: string; readonly holder: string },
): Promise<WirePaymentLease | ScripError | 'none'> {
  return callPartner(host, takePaymentLease, asked).catch(
    unlessInterrupted((error) => {
      // After a retryable error, it is unknown whether the host gives out turns; otherwise it does not.
      const isUnclear = RETRYABLE_BEFORE_SIGNING.has(error.code) && error.details.status !== 501;
      return isUnclear ? error : 'none';
    }),
  );
}

function checkAgainst(own: Horizon): Extract<Turn, { kind: 'mine' }>['check'] {
  return (signed) => {
    if (own.covers(signed)) return;
    throw new ScripError(
      'CHALLENGE_EXPIRED',
      t`This run’s turn to pay ended before the payment was signed; nothing was sent`,
      { hint: t`Run the command again.` },
    );
  };
}
