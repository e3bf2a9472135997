/** Addresses of EVM chains, in the one form that this rail compares: with the checksum of EIP-55. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { isEvmAddress } from '../../domain/address/chain-address.ts';

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** @param hex 40 digits after `0x`, in any case */
export function withChecksum(hex: string): string {
  const digits = hex.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  const isUpper = (at: number) => Number.parseInt(hash[at] ?? '0', 16) >= 8;
  return `0x${[...digits].map((digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join('')}`;
}

/** Reads an address, in one case or with its checksum; undefined for any other text. */
export function readAddress(text: string): string | undefined {
  if (!isEvmAddress(text)) return undefined;
  const address = withChecksum(text);
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isPlain || text === address ? address : undefined;
}

/** Address of a public key: 65 bytes, the first of which is 4. */
export function addressOfKey(publicKey: Uint8Array): string {
  return withChecksum(hexOf(keccak_256(publicKey.subarray(1)).subarray(12)));
}
