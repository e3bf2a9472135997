/** Keys for EVM networks as other wallets keep them: hex, a phrase, a keystore of Web3 Secret Storage. */

import { createDecipheriv, createHmac, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseJson } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import { scryptKey } from './keystore.ts';
import { type Secret, secretOf } from './secret.ts';

/** The key in hex, of 32 bytes; undefined for any other text. */
export function seedOfHex(text: string): Secret | undefined {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  return digits === undefined ? undefined : secretOf(Buffer.from(digits, 'hex'));
}

/** Order of the curve (SEC 2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HARDENED = 2 ** 31;

/**
 * Derives the key of an account from a phrase's seed: m/44'/60'/0'/0/account (BIP32, BIP44).
 * @returns 32 bytes, which the caller wipes
 */
export function deriveEvmSeed(seed: Uint8Array, account: number): Buffer {
  const path = [44 + HARDENED, 60 + HARDENED, HARDENED, 0, account];
  const root = createHmac('sha512', 'Bitcoin seed').update(seed).digest();
  return path.reduce(child, root).subarray(0, 32);
}

/** Derives a child node; a node is the key followed by the chain code. */
function child(node: Buffer, index: number): Buffer {
  const [key, chainCode] = [node.subarray(0, 32), node.subarray(32)];
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  // Not node:crypto: the standalone executable's has no such curve.
  const known =
    index >= HARDENED ? Buffer.concat([Uint8Array.of(0), key]) : secp256k1.getPublicKey(key, true);
  const mixed = createHmac('sha512', chainCode).update(known).update(number).digest();
  // The chance that the sum is zero or the half too large is below 2^-127 (BIP32).
  const sum = (numberOf(mixed.subarray(0, 32)) + numberOf(key)) % ORDER;
  return Buffer.concat([bytesOf(sum), mixed.subarray(32)]);
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

type Loose = Readonly<Record<string, unknown>>;

/** Whether a JSON text is a key of another wallet, encrypted as Web3 Secret Storage, version 3. */
export function isSecretStorage(text: string): boolean {
  const { version }: Loose = Object(parseJson(text));
  return version === 3;
}

/**
 * Decrypts a key of Web3 Secret Storage, version 3, as geth, cast and ethers write it.
 * @throws {ScripError} WALLET_INVALID for another form, PASSPHRASE_WRONG
 */
export async function openSecretStorage(
  text: string,
  source: Said,
  passphrase: Secret,
): Promise<Secret> {
  const file: Loose = Object(parseJson(text));
  const { cipher, ciphertext, cipherparams, kdf, kdfparams, mac }: Loose = Object(
    file.crypto ?? file.Crypto,
  );
  const { iv }: Loose = Object(cipherparams);
  const secret = hexBytes(ciphertext, 32);
  const [nonce, tag] = [hexBytes(iv, 16), hexBytes(mac, 32)];
  const derive = DERIVATIONS[String(kdf)]?.(Object(kdfparams));
  if (cipher !== 'aes-128-ctr' || !secret || !nonce || !tag || !derive) throw unusable(source);
  const key = await passphrase.use(derive).catch(() => {
    // OpenSSL knows limits of its own.
    throw unusable(source);
  });
  try {
    if (
      !keccak_256(Buffer.concat([key.subarray(16, 32), secret])).every((b, at) => b === tag[at])
    ) {
      throw new ScripError('PASSPHRASE_WRONG', t`Wrong passphrase, or the keystore was changed`);
    }
    const decipher = createDecipheriv(cipher, key.subarray(0, 16), nonce);
    return secretOf(Buffer.concat([decipher.update(secret), decipher.final()]));
  } finally {
    key.fill(0);
  }
}

/** Bounds: a hostile file could demand too much memory or time. */
const MOST_N = 2 ** 20;
const MOST_ROUNDS = 10_000_000;

/** By name: returns the function that makes 32 bytes of a passphrase; undefined for parameters out of bounds. */
const DERIVATIONS: Readonly<
  Record<string, (params: Loose) => ((passphrase: Buffer) => Promise<Buffer>) | undefined>
> = {
  scrypt: ({ n, r, p, salt }) => {
    const bytes = hexBytes(salt);
    const isSafe = isUpTo(n, MOST_N) && isUpTo(r, 8) && isUpTo(p, 16);
    if (!isSafe || !bytes) return undefined;
    const options = { N: n, r, p, maxmem: 256 * n * r };
    return (passphrase) => scryptKey(passphrase, bytes, options);
  },
  pbkdf2: ({ c, prf, salt }) => {
    const bytes = hexBytes(salt);
    if (!isUpTo(c, MOST_ROUNDS) || prf !== 'hmac-sha256' || !bytes) return undefined;
    return (passphrase) => promisify(pbkdf2)(passphrase, bytes, c, 32, 'sha256');
  },
};

function isUpTo(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most;
}

function hexBytes(value: unknown, length?: number): Buffer | undefined {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})+$/i.test(value)) return undefined;
  const bytes = Buffer.from(value, 'hex');
  return length === undefined || bytes.length === length ? bytes : undefined;
}

function unusable(source: Said): ScripError {
  return new ScripError(
    'WALLET_INVALID',
    t`The keystore ${source} cannot be used: ${t`it is not one of Web3 Secret Storage, version 3`}`,
  );
}
