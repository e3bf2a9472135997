import { isSameText } from '../domain/same-text.ts';

export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

export async function sha256Hex(text: string): Promise<string> {
  return Array.from(await sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares two secrets in constant time. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([sha256Hex(one), sha256Hex(other)]);
  return isSameText(first, second);
}

/** Digest of a caller's address, for storing; inside a process there is only one caller. */
export function digestOfCaller({ address = '' }: { readonly address?: string | undefined }) {
  return sha256Hex(address);
}
