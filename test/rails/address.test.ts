import { ed25519 } from '@noble/curves/ed25519.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import {
  associatedTokenAddress,
  encodeBase58,
  isAddress,
  isOnCurve,
} from '../../src/rails/solana/address.ts';
import {
  addressFromSeed,
  signerFromSeed,
  verifySignature,
} from '../../src/rails/solana/ed25519.ts';

const OWNERS = Array.from(
  { length: 60 },
  (_, index) => signerFromSeed(new Uint8Array(32).fill(index + 1)).address,
);

describe('addresses', () => {
  test('a token account is where spl-token finds it', () => {
    const mint = new PublicKey(USDC_MINT);
    for (const owner of OWNERS) {
      const theirs = getAssociatedTokenAddressSync(mint, new PublicKey(owner)).toBase58();
      expect(associatedTokenAddress(owner, USDC_MINT)).toBe(theirs);
    }
  });

  test('an owner that is no key has a token account too', () => {
    const vault = associatedTokenAddress(OWNERS[0] ?? '', USDC_MINT);
    const theirs = getAssociatedTokenAddressSync(
      new PublicKey(USDC_MINT),
      new PublicKey(vault),
      true,
    );
    expect(associatedTokenAddress(vault, USDC_MINT)).toBe(theirs.toBase58());
  });

  test('keys are on the curve and derived addresses are not', () => {
    for (const owner of OWNERS) {
      expect(isOnCurve(owner)).toBe(true);
      expect(isOnCurve(associatedTokenAddress(owner, USDC_MINT))).toBe(false);
    }
  });

  test('every string of bytes is a point or not, as another library has it', () => {
    const top = new Uint8Array(32).fill(255);
    const low = (byte: number) => Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? byte : 0));
    // Around 0, 1 and the field's size, with either sign: what is read leniently.
    const nearField = [236, 237, 238, 239].map((byte) => Uint8Array.of(byte, ...top.subarray(1)));
    const edges = [...[0, 1, 2, 3].map(low), ...nearField].flatMap((bytes) => [
      bytes,
      bytes.with(31, (bytes[31] ?? 0) ^ 128),
    ]);
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(...edges)),
        (bytes) => {
          expect(isOnCurve(encodeBase58(bytes))).toBe(isPointOfNoble(bytes));
        },
      ),
      { examples: edges.map((bytes) => [bytes]) },
    );
  });

  test.each(['', 'abc', '0'.repeat(32), '1'.repeat(31), '1'.repeat(33), `${USDC_MINT}1`])(
    '%j is not an address',
    (text) => {
      expect(isAddress(text)).toBe(false);
    },
  );
});

function isPointOfNoble(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

describe('signatures', () => {
  const signer = signerFromSeed(new Uint8Array(32).fill(7));
  const message = new TextEncoder().encode('pay 25.50');

  test('a signature is its signer’s, over its message', async () => {
    const signature = await signer.sign(message);
    expect(signature).toHaveLength(64);
    expect(verifySignature(signer.address, message, signature)).toBe(true);
    expect(verifySignature(OWNERS[0] ?? '', message, signature)).toBe(false);
    expect(verifySignature(signer.address, message.subarray(1), signature)).toBe(false);
  });

  test('malformed parts are no signature, and no error', () => {
    expect(verifySignature('not an address', message, new Uint8Array(64))).toBe(false);
    expect(verifySignature(signer.address, message, new Uint8Array(3))).toBe(false);
  });

  test('the address is the one that web3.js derives', async () => {
    const { Keypair } = await import('@solana/web3.js');
    const theirs = Keypair.fromSeed(new Uint8Array(32).fill(7));
    expect(signer.address).toBe(theirs.publicKey.toBase58());
    expect(addressFromSeed(new Uint8Array(32).fill(7))).toBe(signer.address);
  });

  test('a seed of another length is refused', () => {
    for (const read of [signerFromSeed, addressFromSeed]) {
      expect(() => read(new Uint8Array(31))).toThrow(
        expect.objectContaining({ code: 'WALLET_INVALID' }),
      );
    }
  });
});
