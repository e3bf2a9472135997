/** Creates ids that are secrets: anyone who knows one may read what it names; of a page, only that. */

type Random = (length: number) => Uint8Array;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 26 characters of 5 bits: 130 random bits. */
const ID_LENGTH = 26;

export const newOrderId = (random: Random): string => `cr_${base32(random)}`;
/** A version 4 UUID (interface: order_id). */
export const newPartnerOrderId = (random: Random): string => newSessionId(random);
export const newPageId = (random: Random): string => base32(random);
export const newDeliveryId = (random: Random): string => `cd_${base32(random)}`;

/** A version 4 UUID: 122 random bits (interface: X-Session-Id is a UUID). */
export function newSessionId(random: Random): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** 32 divides 256, so the low bits of a random byte are uniform. */
function base32(random: Random): string {
  let id = '';
  for (const byte of random(ID_LENGTH)) id += BASE32.charAt(byte & 31);
  return id;
}
