import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

// Not WebCrypto: of a short text, its job on another thread takes ten times as long as the digest.
export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest();
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** HMAC with SHA-256. */
export function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Compares two secrets in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

/** Digest of a caller's address, for storing; inside a process there is only one caller. */
export function digestOfCaller({ address = '' }: { readonly address?: string | undefined }) {
  return sha256Hex(address);
}
