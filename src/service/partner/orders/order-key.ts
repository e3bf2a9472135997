/**
 * The key under which an order was created. It is the order's secret: a caller with it may repeat the creation
 * and read the codes, so it also proves who may name the address of a refund.
 */
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { isSameSecret, sha256Hex } from '../../digest.ts';

/** Prefixes of stored keys: chosen by the caller, and made from the token of a guided purchase. */
export const CALLER_KEY = 'key:';
export const SESSION_KEY = 'wizard:';

/** Ours: a shorter key could be guessed. */
export const SECRET_LENGTH = 32;

/** Whether the order has a key that cannot be guessed. */
export function hasSecretKey({ idempotencyKey: key }: PartnerOrderRow): boolean {
  if (key === null) return false;
  return key.startsWith(SESSION_KEY) || key.length >= CALLER_KEY.length + SECRET_LENGTH;
}

/** A key as it is stored once its order has lost its person: it makes no other order, and tells nothing. */
export function erasedKey(key: string): string {
  return key.startsWith(SESSION_KEY) ? key : `erased:${sha256Hex(key)}`;
}

/** @param given an `Idempotency-Key`, or the session token of a guided purchase */
export function isKeyOf(order: PartnerOrderRow, given: string): boolean {
  const { idempotencyKey: key } = order;
  if (key === null || !hasSecretKey(order)) return false;
  const isSession = key.startsWith(SESSION_KEY);
  return isSameSecret(key, isSession ? SESSION_KEY + sha256Hex(given) : CALLER_KEY + given);
}
