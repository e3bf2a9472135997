/** Ed25519 through node:crypto, about twenty times faster than a JavaScript curve. */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { attempt } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Signer, SignIn } from '../rail.ts';
import { addressBytes, decodeBase58, encodeBase58 } from './address.ts';

/** DER header before the 32 bytes of a key (RFC 8410). */
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const SEED_BYTES = 32;
/** A key in JWK form (RFC 8037) is parsed ten times as fast as in DER. */
const JWK = { kty: 'OKP', crv: 'Ed25519' };

/** Whether the address signed the message; false for any malformed part. */
export function verifySignature(
  address: string,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verify(null, message, publicKeyOf(address), signature);
  } catch {
    return false;
  }
}

/** A cache: the same wallets pay again, and reading a key takes as long as verifying with it. */
const READ = new Map<string, KeyObject>();
const MOST_READ = 1_000;

function publicKeyOf(address: string): KeyObject {
  const known = READ.get(address);
  if (known) return known;
  const x = Buffer.from(addressBytes(address)).toString('base64url');
  const key = createPublicKey({ key: { ...JWK, x }, format: 'jwk' });
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(address, key);
  return key;
}

/**
 * Wraps a text into an off-chain message, version 0, of printable ASCII: its header starts with a byte that no
 * transaction can start with, so its signature can never move money.
 */
export function offChainMessage(text: string): Uint8Array {
  const length = [text.length & 0xff, text.length >> 8];
  return Buffer.concat([OFF_CHAIN, Uint8Array.of(0, 0, ...length), Buffer.from(text)]);
}

const OFF_CHAIN = Buffer.from([0xff, ...Buffer.from('solana offchain')]);

/**
 * Creates a signer that holds its key in memory.
 * @param seed 32 bytes: the first half of a Solana secret key
 * @throws {ScripError} WALLET_INVALID
 */
export function signerFromSeed(seed: Uint8Array): Signer {
  checkLength(seed);
  const key = Buffer.concat([PRIVATE_KEY_PREFIX, seed]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  key.fill(0);
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    address: encodeBase58(publicKey.subarray(PUBLIC_KEY_PREFIX.length)),
    sign: async (message) => Uint8Array.from(sign(null, message, privateKey)),
  };
}

/**
 * Returns the address of a key without a signer, such as an order's address.
 * @param seed as for `signerFromSeed`
 * @throws {ScripError} WALLET_INVALID
 */
export function addressFromSeed(seed: Uint8Array): string {
  checkLength(seed);
  const d = Buffer.from(seed).toString('base64url');
  // node:crypto computes the public key from `d` and ignores `x`.
  const key = createPrivateKey({ key: { ...JWK, d, x: '' }, format: 'jwk' });
  return encodeBase58(Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url'));
}

function checkLength(seed: Uint8Array): void {
  if (seed.length === SEED_BYTES) return;
  throw new ScripError('WALLET_INVALID', t`A key has 32 bytes, not ${seed.length}`);
}

/**
 * The text alone is signed. It is no transaction: its first byte would be a number of signatures, which for a
 * printable character is more than a transaction has room for.
 */
export const solanaSignIn: SignIn = {
  type: 'ed25519',
  account: 'Solana',
  message: (text) => Buffer.from(text),
  encode: encodeBase58,
  signedBy: async (address, text, signature) => {
    const bytes = attempt(
      () => decodeBase58(signature, SIGNATURE_CHARACTERS),
      () => undefined,
    );
    return bytes && verifySignature(address, Buffer.from(text), bytes) ? address : undefined;
  },
};

/** 64 bytes in base58. */
const SIGNATURE_CHARACTERS = 88;
