/** Holds back a partner with many unpaid orders; the counts are in the store, so they survive a restart. */
import {
  judgePartner,
  type PartnerStanding,
  RATIO_WINDOW_MS,
  type Suspension,
  suspendAfterUnpaid,
} from '../../domain/partner-limits.ts';
import type { PartnerOrderRow } from '../../storage/partner-orders.ts';
import type { Tables } from '../../storage/store.ts';
import { topLevelError } from './failure.ts';

type StandingTables = Pick<Tables, 'partnerOrders' | 'facts'>;

/** Ours: header that warns a partner about its ratio before any order is refused. */
export const STANDING_HEADER = 'X-Scrip-Unpaid-Orders';

/** Returns a partner's standing at an instant. */
export async function standingOf(
  tables: StandingTables,
  applicationId: string,
  nowMs: number,
): Promise<PartnerStanding> {
  const { partnerOrders } = tables;
  const counts = await partnerOrders.closedSince(applicationId, nowMs - RATIO_WINDOW_MS);
  const suspension = await lastSuspension(tables, applicationId);
  const tally = { ...counts, suspension, lastCreatedAtMs: undefined };
  const standing = judgePartner(tally, nowMs);
  if (standing.state !== 'throttled') return standing;
  const lastCreatedAtMs = await partnerOrders.lastCreatedAtMs(applicationId);
  return judgePartner({ ...tally, lastCreatedAtMs }, nowMs);
}

/** Call it in the write that closes an order without payment, after the order was written. */
export async function noteUnpaid(
  tables: StandingTables & Pick<Tables, 'holds'>,
  { applicationId }: Pick<PartnerOrderRow, 'applicationId'>,
  atMs: number,
): Promise<void> {
  // If two orders close at once, the second one counts the first.
  await tables.holds.take(`partner ${applicationId}`);
  const counts = await tables.partnerOrders.closedSince(applicationId, atMs - RATIO_WINDOW_MS);
  const last = await lastSuspension(tables, applicationId);
  const next = suspendAfterUnpaid(counts, last, atMs);
  if (next === undefined || next === last) return;
  await tables.facts.set(factName(applicationId), JSON.stringify(next));
}

/** Returns the refusal of a new order; undefined if it may be created. */
export function heldBack(standing: PartnerStanding): Response | undefined {
  const { state, retryAfterMs, untilMs } = standing;
  if (retryAfterMs === 0) return undefined;
  const headers = { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)), ...warning(standing) };
  if (state === 'suspended' && untilMs !== undefined) {
    const moreDetails = { until: new Date(untilMs).toISOString() };
    return topLevelError({ status: 403, detail: 'PARTNER_SUSPENDED', moreDetails }, headers);
  }
  const moreDetails = { message: 'Too many unpaid orders: only one new order per minute.' };
  return topLevelError({ status: 429, detail: 'PARTNER_THROTTLED', moreDetails }, headers);
}

/** The warning header: how many of the partner's orders closed within a day were unpaid. */
export function warning({
  state,
  closed,
  unpaid,
}: PartnerStanding): Readonly<Record<string, string>> {
  if (state === 'good') return {};
  return { [STANDING_HEADER]: `state=${state}, unpaid=${unpaid}, closed=${closed}` };
}

async function lastSuspension(
  { facts }: Pick<Tables, 'facts'>,
  applicationId: string,
): Promise<Suspension | undefined> {
  const text = await facts.get(factName(applicationId));
  return text === undefined ? undefined : JSON.parse(text);
}

function factName(applicationId: string): string {
  return `last suspension of ${applicationId}`;
}
