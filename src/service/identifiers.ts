/** Creates ids that are secrets: anyone who knows one may read what it names. */

type Random = (length: number) => Uint8Array;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 26 characters of 5 bits: 130 random bits. */
const ID_LENGTH = 26;

export const newOrderId = (random: Random): string => `cr_${base32(random)}`;
/** A version 4 UUID (interface: order_id). */
export const newPartnerOrderId = (random: Random): string => newSessionId(random);
export const newDeliveryId = (random: Random): string => `cd_${base32(random)}`;

/** A version 4 UUID: 122 random bits (interface: X-Session-Id is a UUID). */
export function newSessionId(random: Random): string {
  const bytes = Array.from(random(16), (byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    if (index === 8) return (byte & 0x3f) | 0x80;
    return byte;
  });
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** 32 divides 256, so the low bits of a random byte are uniform. */
function base32(random: Random): string {
  return Array.from(random(ID_LENGTH), (byte) => BASE32.charAt(byte & 31)).join('');
}
