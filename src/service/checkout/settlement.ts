/** Settles claimed payments once each, however many attempts and processes there are. */

import { networkTitle } from '../../contract/usdc.ts';
import type { PaymentPayload, SettleResponse } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Tables } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { SettlementRow, SettlementTry } from '../../store/tables/settlements.ts';
import { SINGLE } from '../../store/writes.ts';
import { retryDelayMs } from '../delivery/delivery.ts';
import type { ChallengeGate } from '../http/traffic.ts';
import { leaseDue } from '../lease-due.ts';
import type { ServiceOptions } from '../options.ts';
import { railOn, requirementOn } from './challenge.ts';
import { setOrderStatus } from './order-events.ts';

type Settling = Pick<ServiceOptions, 'store' | 'rails' | 'clock' | 'report'> & {
  readonly challenges: Pick<ChallengeGate, 'paid'>;
};

export interface Advanced {
  readonly row: SettlementRow;
  /** Transaction of a settlement that is sent but undecided; empty if unknown. */
  readonly pendingTransaction: string;
}

/**
 * Reasons that decide nothing: the transaction was sent, or another request is sending it. Treated
 * as failures, they would let a payment land for an abandoned order.
 */
const UNDECIDED_REASONS: readonly string[] = ['settlement_pending', 'duplicate_settlement'];

/** How long a later try has a settlement to itself; longer than a facilitator follows a message. */
const LATER_TRY_MS = 10_000;

/** Tries settlements that no request, and no other server, is following; returns whether there were any. */
export async function settleDue(
  settling: Settling,
  limit: number,
  signal: AbortSignal,
): Promise<boolean> {
  const atMs = settling.clock.now();
  const term = { atMs, untilMs: atMs + LATER_TRY_MS, limit };
  const rows = await leaseDue(settling.store, ({ settlements }) => settlements, term);
  await Promise.all(rows.map((row) => advanceSettlement(settling, row, { signal })));
  return rows.length > 0;
}

/**
 * Asks the facilitator about an undecided settlement; an error leaves it unchanged. What stays
 * undecided is tried again later, or at once by another server if this one is stopping.
 */
export async function advanceSettlement(
  settling: Settling,
  row: SettlementRow | SettlementTry,
  { signal, session }: Known = {},
): Promise<Advanced> {
  if (row.state !== 'submitting') return { row, pendingTransaction: '' };
  const result = await trySettle(settling, row, { signal, session });
  if (!result || isUndecided(result)) {
    const attempts = 'attempts' in row ? row.attempts : 0;
    const waitMs = signal?.aborted ? 0 : retryDelayMs(attempts + 1);
    const nextAtMs = settling.clock.now() + waitMs;
    const { messageHash } = row;
    await settling.store.write(
      ({ settlements }) => settlements.putOff({ messageHash, attempts }, nextAtMs),
      SINGLE,
    );
    return { row, pendingTransaction: result?.transaction ?? '' };
  }
  const decided = await decide(settling, row, result);
  if (decided.state === 'settled') settling.challenges.paid(decided.sessionId);
  return { row: decided, pendingTransaction: '' };
}

function isUndecided({ success, errorReason }: SettleResponse): boolean {
  return !success && UNDECIDED_REASONS.includes(errorReason ?? '');
}

interface Known {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The settlement's session, if the caller has read it. */
  readonly session?: SessionRow | undefined;
}

async function trySettle(
  { store, rails, report }: Settling,
  { sessionId, orderId, payload, network, createdAtMs: sinceMs }: SettlementRow,
  { signal, session: known }: Known,
): Promise<SettleResponse | undefined> {
  try {
    const session = known ?? (await store.tables.sessions.byId(sessionId));
    const requirement = session && requirementOn(session, network);
    const rail = railOn({ rails }, network);
    if (rail === undefined) report?.(networkGone(network, orderId));
    // On a network that was taken from the configuration, nothing is known: the order stays open.
    if (requirement === undefined || rail === undefined) return undefined;
    const parsedPayload: PaymentPayload = JSON.parse(payload);
    return await rail.facilitator.settle(parsedPayload, requirement, { signal, sinceMs });
  } catch (error) {
    report?.(error);
    return undefined;
  }
}

/** Of a network without a rail: a payment there is neither finished nor given up. */
export function networkGone(network: string, orderId: string): ScripError {
  return new ScripError(
    'MERCHANT_ERROR',
    t`A payment of ${orderId} on ${networkTitle(network)} is open, and the shop’s configuration has that network no more`,
    { details: { subject: `network of ${orderId}` } },
  );
}

/** Stores the outcome and its effects in one transaction; only the first outcome counts. */
function decide(
  { store, clock }: Settling,
  row: SettlementRow,
  result: SettleResponse,
): Promise<SettlementRow> {
  const { messageHash, orderId } = row;
  const atMs = clock.now();
  const outcome = {
    state: result.success ? ('settled' as const) : ('failed' as const),
    transaction: result.transaction === '' ? null : result.transaction,
    reason: result.success ? null : (result.errorReason ?? 'unknown'),
    settledAtMs: result.success ? atMs : null,
  };
  return store.write(async (tables) => {
    await tables.holds.take(`order ${orderId}`);
    const decided = await tables.settlements.decide(messageHash, outcome);
    if (decided === undefined) return (await tables.settlements.byMessage(messageHash)) ?? row;
    if (result.success) await tables.deliveries.release(orderId, atMs);
    else await endOrder(tables, orderId, { atMs, status: unpaidStatus(outcome.reason) });
    return decided;
  });
}

/** Ours: a payment that expired before landing makes the order expired; any other failure makes it failed. */
function unpaidStatus(reason: string | null): 'expired' | 'failed' {
  return reason?.endsWith('_expired') === true ? 'expired' : 'failed';
}

async function endOrder(
  tables: Tables,
  orderId: string,
  { atMs, status }: { readonly atMs: number; readonly status: 'expired' | 'failed' },
): Promise<void> {
  const failureReason =
    status === 'expired' ? 'The payment was not made in time.' : 'The payment failed.';
  for (const delivery of await tables.deliveries.ofOrder(orderId)) {
    await tables.deliveries.update(delivery, {
      ...delivery,
      state: 'failed',
      attempts: delivery.attempts + 1,
      failureReason,
    });
  }
  await setOrderStatus(tables, orderId, status, atMs);
}
