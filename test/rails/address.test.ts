import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { associatedTokenAddress, isAddress, isOnCurve } from '../../src/rails/solana/address.ts';
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

  test.each(['', 'abc', '0'.repeat(32), '1'.repeat(31), '1'.repeat(33), `${USDC_MINT}1`])(
    '%j is not an address',
    (text) => {
      expect(isAddress(text)).toBe(false);
    },
  );
});

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
