/** Addresses of the sandbox have the form that wallets check, checksum included. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { segwitAddress } from '../../../src/domain/address/bech32.ts';
import { decodeBase58 } from '../../../src/rails/solana/address.ts';
import { fakeAddress } from '../../../src/sandbox/partner/addresses.ts';

const SEED = new Uint8Array(32).fill(0x5a);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

it('writes the addresses that BIP 173 gives as examples', () => {
  const program = Buffer.from('751e76e8199196d454941c45d1b3a323f1433bd6', 'hex');
  expect(segwitAddress('bc', program)).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
});

it.each([
  ['dogecoin', 0x1e],
  ['dash', 0x4c],
  ['tron', 0x41],
] as const)('%s has its version and a checksum that holds', (scheme, version) => {
  const bytes = decodeBase58(fakeAddress(scheme, SEED));
  expect(bytes).toHaveLength(25);
  expect(bytes[0]).toBe(version);
  const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
  expect(Buffer.from(bytes.subarray(21))).toEqual(checksum);
});

it('gives one order the same address again, and another order another one', () => {
  const other = new Uint8Array(32).fill(0x5b);
  for (const scheme of ['bitcoin', 'ethereum', 'lightning', 'solana'] as const) {
    expect(fakeAddress(scheme, SEED)).toBe(fakeAddress(scheme, SEED));
    expect(fakeAddress(scheme, SEED)).not.toBe(fakeAddress(scheme, other));
  }
});
