/** Secrets of partners: made once, kept as hashes. */

import { isSameText } from '../domain/same-text.ts';
import { sha256Hex } from './digest.ts';

const PREFIX = 'scrip_partner_';
const SECRET_BYTES = 32;

/** 256 random bits, so a plain hash is as good as a slow one. */
export function newSecret(random: (length: number) => Uint8Array): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');
}

export const hashOf = sha256Hex;

/** Compares in constant time. */
export function isSecretOf(hash: string, secret: string): boolean {
  return isSameText(hashOf(secret), hash);
}
