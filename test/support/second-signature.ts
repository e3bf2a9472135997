/** A key's other signatures: Ed25519 fixes the nonce by convention alone, and any nonce is valid. */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

const ORDER = ed25519.Point.Fn.ORDER;

/** Signs by RFC 8032 but for the nonce, which is drawn from `nonce` and the message. */
export function signWithNonce(seed: Uint8Array, message: Uint8Array, nonce: string): Uint8Array {
  const scalar = number(
    sha512(seed)
      .map((byte, index) => clamp(byte, index))
      .subarray(0, 32),
  );
  const publicKey = ed25519.getPublicKey(seed);
  const secret = number(sha512(Buffer.from(nonce), message)) % ORDER;
  const commitment = ed25519.Point.BASE.multiply(secret).toBytes();
  const challenge = number(sha512(commitment, publicKey, message)) % ORDER;
  return Buffer.concat([commitment, bytes((secret + challenge * scalar) % ORDER)]);
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function clamp(byte: number, index: number): number {
  if (index === 0) return byte & 248;
  return index === 31 ? (byte & 127) | 64 : byte;
}

function number(littleEndian: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`);
}

function bytes(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}
