import { generateKeyPairSync } from 'node:crypto';
import { secretOf } from '../../src/wallet/secret.ts';
import { plainKey, type StoredKey } from '../../src/wallet/secret-text.ts';

/** A key of Solana from the system's randomness. */
export function newKey(): StoredKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return plainKey(secretOf(Buffer.from(d, 'base64url')));
}
