/**
 * Places where a test ends the process, as a power cut would. Compiled in and idle: only under the
 * test variable does the composition root listen. Names are append-only; the crash matrix kills at
 * every one of them.
 */

import { ScripError } from './errors.ts';
import { t } from './message.ts';

/** Of a purchase over x402, in the order in which one comes by. */
export const CLIENT_POINTS = [
  /** C0: asked for; nothing is on disk. */
  'purchase-asked',
  /** C5, and C1: a record's bytes are on disk under a passing name. */
  'record-created',
  /** C5: it has its name, which is not durable yet. */
  'record-linked',
  /** C1. */
  'intent-written',
  /** C2: the host has answered, and its answer is not read yet. */
  'challenge-answered',
  /** C3. */
  'challenge-read',
  /** C3: the amount is reserved, and nothing is signed. */
  'reserved',
  /** C4: signed in memory alone. */
  'signed',
  /** C6: durable, and nothing is sent. */
  'attempt-written',
  /** C7: the payment was sent; there is no answer yet. */
  'payment-sent',
  /** C8 to C12: phase 2 came to an end of some kind; what it said is not used yet. */
  'submitted',
  /** C13. */
  'accepted-recorded',
  /** C14: proven unable to land. */
  'dead-recorded',
  /** C15: found on the chain. */
  'landed-recorded',
  /** C16: paid, and in need of a person. */
  'attention-recorded',
  /** C17: the goods are here, in memory. */
  'goods-read',
  /** C18. */
  'goods-recorded',
] as const;

/** Of an order of the partner API that are not among those above. */
export const PARTNER_POINTS = ['created', 'created-recorded'] as const;

/** Of the service, in the order of reliability 3.1; `-committing` is inside the transaction. */
export const SERVICE_POINTS = [
  /** S1. */
  'session-committing',
  'session-committed',
  /** E1: the payment was verified; nothing is promised. */
  'payment-verified',
  /** S3: the order and its settlement. */
  'order-committing',
  'order-committed',
  /** E2: countersigned and durable, and not sent. */
  'claim-written',
  /** E3: sent, and not confirmed. */
  'broadcast',
  /** S5: the facilitator has told the outcome. */
  'settled',
  /** E4. */
  'settlement-committing',
  'settlement-committed',
  /** S6: the attempt is booked; the supplier is not asked. */
  'supplier-asked',
  /** E8: the supplier has sold; it is not recorded yet. */
  'supplier-answered',
  /** S7. */
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
    throw new ScripError('INPUT_INVALID', t`"${spec}" is not a fail point, or name:n of one`);
  }
  let hits = 0;
  return (hit) => {
    if (hit !== name) return false;
    hits += 1;
    return hits === Number(nth);
  };
}
