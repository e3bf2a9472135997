/**
 * Places where a test kills the process, as a power cut would. They are compiled in, but do nothing unless
 * the test variable is set. Names are append-only; the crash matrix kills at every one.
 */

import { ScripError } from '../message/errors.ts';
import { t } from '../message/message.ts';

/** Points of a purchase over x402, in the order in which a purchase reaches them. */
export const CLIENT_POINTS = [
  /** The user asked for a purchase; nothing is on disk. */
  'purchase-asked',
  /** A record's bytes are on disk under a temporary name. */
  'record-created',
  /** The record has its final name, which is not durable yet. */
  'record-linked',
  'intent-written',
  /** The host has answered; the answer is not read yet. */
  'challenge-answered',
  'challenge-read',
  /** The amount is reserved; nothing is signed. */
  'reserved',
  /** Signed, only in memory. */
  'signed',
  /** The attempt is durable; nothing is sent. */
  'attempt-written',
  /** The payment was sent; there is no answer yet. */
  'payment-sent',
  /** Phase 2 has ended; its result is not used yet. */
  'submitted',
  'accepted-recorded',
  /** The attempt provably cannot land. */
  'dead-recorded',
  /** The payment was found on the chain. */
  'landed-recorded',
  /** Paid, and needs a person's attention. */
  'attention-recorded',
  /** The goods have arrived, only in memory. */
  'goods-read',
  'goods-recorded',
] as const;

/** Further points of a purchase through the partner API. */
export const PARTNER_POINTS = ['created', 'created-recorded'] as const;

/**
 * Points of the service, in the order in which a purchase reaches them; `-committing` is inside the
 * transaction.
 */
export const SERVICE_POINTS = [
  'session-committing',
  'session-committed',
  /** The payment is verified; no order exists yet. */
  'payment-verified',
  /** The order and its settlement are about to be committed. */
  'order-committing',
  'order-committed',
  /** The transaction is countersigned and durable, but not sent. */
  'claim-written',
  /** The transaction is sent, but not confirmed. */
  'broadcast',
  /** The facilitator has returned the outcome. */
  'settled',
  'settlement-committing',
  'settlement-committed',
  /** The delivery attempt is recorded; the supplier is not asked yet. */
  'supplier-asked',
  /** The supplier has sold; the sale is not recorded yet. */
  'supplier-answered',
  'delivery-committing',
  'delivery-committed',
] as const;

/** Between claim and broadcast, where the shop settles by a transaction of its own: that is durable, but not sent. */
export const FEE_POINTS = ['fee-transaction-stored'] as const;

/** Points of a refund, in the order in which its payment reaches them. */
export const REFUND_POINTS = [
  /** Signed, only in memory. */
  'refund-signed',
  /** The signed bytes and the mark of the refund are about to be committed. */
  'refund-claiming',
  'refund-claimed',
  /** Sent, but not final. */
  'refund-sent',
  /** The chain's decision is on record; the refund does not have it yet. */
  'refund-decided',
  'refund-closing',
  'refund-closed',
] as const;

export type ClientPoint = (typeof CLIENT_POINTS)[number];
type PartnerPoint = (typeof PARTNER_POINTS)[number];
export type ServicePoint =
  | (typeof SERVICE_POINTS)[number]
  | (typeof FEE_POINTS)[number]
  | (typeof REFUND_POINTS)[number];
export type FailPoint = ClientPoint | PartnerPoint | ServicePoint;

const NAMES: ReadonlySet<string> = new Set([
  ...CLIENT_POINTS,
  ...PARTNER_POINTS,
  ...SERVICE_POINTS,
  ...FEE_POINTS,
  ...REFUND_POINTS,
]);

/**
 * Counts the hits of one point; the returned function says whether to die at this hit.
 * @param spec `name` or `name:n`, the n-th hit counting from 1
 * @throws {ScripError} INPUT_INVALID for an unknown name, with which a test would pass without testing
 * anything
 */
export function countHits(spec: string): (name: FailPoint) => boolean {
  const [, name = '', nth = '1'] = /^([a-z-]+)(?::([1-9]\d{0,5}))?$/.exec(spec) ?? [];
  if (!NAMES.has(name)) {
    throw new ScripError('INPUT_INVALID', t`"${spec}" is not a fail point (use name or name:n)`);
  }
  let hits = 0;
  return (hit) => {
    if (hit !== name) return false;
    hits += 1;
    return hits === Number(nth);
  };
}
