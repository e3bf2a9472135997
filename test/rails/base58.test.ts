import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { decodeBase58, encodeBase58 } from '../../src/rails/solana/address.ts';

describe('base58', () => {
  test('text and bytes are each other', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes))).toEqual(Uint8Array.from(bytes));
      }),
    );
  });

  test('leading zero bytes are ones', () => {
    expect(encodeBase58(new Uint8Array(32))).toBe('1'.repeat(32));
    expect(encodeBase58(Uint8Array.of(0, 0, 1))).toBe('112');
  });

  test('addresses are written as web3.js writes them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(encodeBase58(bytes)).toBe(new PublicKey(bytes).toBase58());
      }),
    );
  });

  test.each(['0', 'O', 'I', 'l', ' 1', '1+', 'é', '1'.repeat(129)])('%j is refused', (text) => {
    expect(() => decodeBase58(text)).toThrow(ScripError);
  });
});
