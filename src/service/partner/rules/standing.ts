/** Holds back a partner with many unpaid orders; the counts are in the store, so they survive a restart. */
import {
  judgePartner,
  type PartnerStanding,
  type PartnerTally,
  RATIO_WINDOW_MS,
  suspendAfterUnpaid,
} from '../../../domain/order/partner-limits.ts';
import type { Tables } from '../../../store/store.ts';
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { topLevelError } from '../failure.ts';

/** Ours: header that warns a partner about its ratio before any order is refused. */
export const STANDING_HEADER = 'X-Scrip-Unpaid-Orders';

/** Returns a partner's standing at an instant. */
export async function standingOf(
  tables: Tables,
  applicationId: string,
  nowMs: number,
): Promise<PartnerStanding> {
  const tally = { ...(await tallyOf(tables, applicationId, nowMs)), lastCreatedAtMs: undefined };
  const standing = judgePartner(tally, nowMs);
  if (standing.state !== 'throttled') return standing;
  const lastCreatedAtMs = await tables.partnerOrders.lastCreatedAtMs(applicationId);
  return judgePartner({ ...tally, lastCreatedAtMs }, nowMs);
}

/** Call it in the write that closes an order without payment, after the order was written. */
export async function noteUnpaid(
  tables: Tables,
  { applicationId }: PartnerOrderRow,
  atMs: number,
): Promise<void> {
  // If two orders close at once, the second one counts the first.
  await tables.holds.take(`partner ${applicationId}`);
  const { suspension: last, ...counts } = await tallyOf(tables, applicationId, atMs);
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

async function tallyOf(
  { partnerOrders }: Tables,
  applicationId: string,
  atMs: number,
): Promise<Omit<PartnerTally, 'lastCreatedAtMs'>> {
  const sinceMs = atMs - RATIO_WINDOW_MS;
  const { fact, ...counts } = await partnerOrders.closedSince(
    applicationId,
    sinceMs,
    factName(applicationId),
  );
  return { ...counts, suspension: fact === undefined ? undefined : JSON.parse(fact) };
}

function factName(applicationId: string): string {
  return `last suspension of ${applicationId}`;
}
