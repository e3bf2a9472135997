import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSolanaAddress } from '../../src/domain/address/chain-address.ts';
import { encodeBase58, isAddress, SYSTEM_PROGRAM } from '../../src/rails/solana/address.ts';

it('says of every text what the rail says', () => {
  const bytes = fc.uint8Array({ minLength: 30, maxLength: 34 });
  const zeros = fc.nat(33).map((count) => new Uint8Array(count));
  const near = fc.oneof(bytes, zeros).map(encodeBase58);
  const property = fc.property(fc.oneof(near, fc.string({ maxLength: 50 })), (text) => {
    expect(isSolanaAddress(text)).toBe(isAddress(text));
  });
  fc.assert(property);
});

it.each([
  [SYSTEM_PROGRAM, true],
  [`1${SYSTEM_PROGRAM}`, false],
  ['z'.repeat(44), false],
  ['none', false],
  ['', false],
])('%s: %s', (text, expected) => {
  expect([isSolanaAddress(text), isAddress(text)]).toEqual([expected, expected]);
});
