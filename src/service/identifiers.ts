/** Creates ids that are secrets: anyone who knows one may read what it names; of a page, only that. */

import { uuid } from '../domain/uuid.ts';

type Random = (length: number) => Uint8Array;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 26 characters of 5 bits: 130 random bits. */
const ID_LENGTH = 26;

export const newOrderId = (random: Random): string => `cr_${base32(random)}`;
/** A version 4 UUID (interface: order_id). */
export const newPartnerOrderId = (random: Random): string => uuid(random(16));
export const newPageId = (random: Random): string => base32(random);
export const newDeliveryId = (random: Random): string => `cd_${base32(random)}`;

/** A version 4 UUID: 122 random bits (interface: X-Session-Id is a UUID). */
export const newSessionId = (random: Random): string => uuid(random(16));

/** 32 divides 256, so the low bits of a random byte are uniform. */
function base32(random: Random): string {
  let id = '';
  for (const byte of random(ID_LENGTH)) id += BASE32.charAt(byte & 31);
  return id;
}
