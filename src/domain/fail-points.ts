/**
 * Places where a test ends the process, as a power cut would. Compiled in and idle: only under the
 * test variable does the composition root listen. Names are append-only; the crash matrix kills at
 * every one of them.
 */

import { ScripError } from './errors.ts';
import { t } from './message.ts';

/** Of a purchase over x402, in the order in which one comes by. */
export const CLIENT_POINTS = [
  /** Asked for; nothing is on disk. */
  'purchase-asked',
  /** A record's bytes are on disk under a passing name. */
  'record-created',
  /** It has its name, which is not durable yet. */
  'record-linked',
  'intent-written',
  /** The host has answered, and its answer is not read yet. */
  'challenge-answered',
  'challenge-read',
  /** The amount is reserved, and nothing is signed. */
  'reserved',
  /** Signed in memory alone. */
  'signed',
  /** Durable, and nothing is sent. */
  'attempt-written',
  /** The payment was sent; there is no answer yet. */
  'payment-sent',
  /** Phase 2 came to an end of some kind; what it said is not used yet. */
  'submitted',
  'accepted-recorded',
  /** Proven unable to land. */
  'dead-recorded',
  /** Found on the chain. */
  'landed-recorded',
  /** Paid, and in need of a person. */
  'attention-recorded',
  /** The goods are here, in memory. */
  'goods-read',
  'goods-recorded',
] as const;

/** Of an order of the partner API that are not among those above. */
export const PARTNER_POINTS = ['created', 'created-recorded'] as const;

/** Of the service, in the order in which one comes by; `-committing` is inside the transaction. */
export const SERVICE_POINTS = [
  'session-committing',
  'session-committed',
  /** The payment was verified; nothing is promised. */
  'payment-verified',
  /** The order and its settlement. */
  'order-committing',
  'order-committed',
  /** Countersigned and durable, and not sent. */
  'claim-written',
  /** Sent, and not confirmed. */
  'broadcast',
  /** The facilitator has told the outcome. */
  'settled',
  'settlement-committing',
  'settlement-committed',
  /** The attempt is booked; the supplier is not asked. */
  'supplier-asked',
  /** The supplier has sold; it is not recorded yet. */
  'supplier-answered',
  'delivery-committing',
  'delivery-committed',
] as const;

export type ClientPoint = (typeof CLIENT_POINTS)[number];
export type PartnerPoint = (typeof PARTNER_POINTS)[number];
export type ServicePoint = (typeof SERVICE_POINTS)[number];
export type FailPoint = ClientPoint | PartnerPoint | ServicePoint;

const NAMES: ReadonlySet<string> = new Set([
  ...CLIENT_POINTS,
  ...PARTNER_POINTS,
  ...SERVICE_POINTS,
]);

/**
 * Counts the hits of one point: the function returned says whether a hit is the one to die at.
 * @param spec `name` or `name:n`, the n-th hit counting from 1
 * @throws {ScripError} INPUT_INVALID: a name that does not exist would make a test pass for nothing
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
