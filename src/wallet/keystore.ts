/** The encrypted keystore, version 1: a seed encrypted with a passphrase, as JSON. */

import { createCipheriv, createDecipheriv, type ScryptOptions, scrypt } from 'node:crypto';
import { attempt, parseJson } from '../domain/attempt.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import { type Algorithm, addressOf, isAddressOf } from './algorithm.ts';
import { type Secret, secretOf } from './secret.ts';

const KEY_BYTES = 32;
const SEED_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_SIZE = 8;
/** 128 MiB and about half a second: the recommended minimum for scrypt. */
const COST: Cost = { N: 2 ** 17, p: 1 };
/** Bounds on the cost: a hostile file could demand too much memory, or make guessing cheap. */
const MIN_N = 2 ** 14;
const MAX_N = 2 ** 20;
const MAX_P = 4;

/** Cost of deriving the key: 1,024 N bytes of memory, p times. */
export interface Cost {
  readonly N: number;
  readonly p: number;
}

/** All fields except the ciphertext, which authenticates them. */
interface Header {
  readonly v: 1;
  readonly type: 'scrip-key';
  readonly alg: Algorithm;
  /** Its address. */
  readonly pub: string;
  readonly kdf: {
    readonly name: 'scrypt';
    readonly N: number;
    readonly r: number;
    readonly p: number;
    /** 32 bytes, base64. */
    readonly salt: string;
  };
  /** The nonce is 12 bytes, base64. */
  readonly cipher: { readonly name: 'aes-256-gcm'; readonly nonce: string };
}

export interface Keystore extends Header {
  /** The encrypted seed and the tag: 48 bytes, base64. */
  readonly ct: string;
}

/** Random bytes from the system. */
export type Random = (length: number) => Uint8Array;

/**
 * Encrypts a seed.
 * @param seed 32 bytes
 * @param passphrase normalized text in UTF-8
 */
export async function sealSeed(
  {
    alg = 'ed25519',
    seed,
    passphrase,
  }: { readonly alg?: Algorithm; readonly seed: Secret; readonly passphrase: Secret },
  random: Random,
  { N, p }: Cost = COST,
): Promise<Keystore> {
  const pub = await addressOf(alg, seed);
  const [salt, nonce] = [base64(random(SALT_BYTES)), base64(random(NONCE_BYTES))];
  const header = headerOf({ alg, pub, N, p, salt, nonce });
  const key = await deriveKey(header, passphrase);
  try {
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(header.cipher.nonce, 'base64'));
    cipher.setAAD(boundText(header));
    const encrypted = seed.use((bytes) => Buffer.concat([cipher.update(bytes), cipher.final()]));
    return { ...header, ct: base64(Buffer.concat([encrypted, cipher.getAuthTag()])) };
  } finally {
    key.fill(0);
  }
}

/**
 * Decrypts the seed, and checks that it belongs to the address.
 * @throws {ScripError} PASSPHRASE_WRONG, also for a modified file; WALLET_INVALID
 */
export async function openSeed(store: Keystore, passphrase: Secret): Promise<Secret> {
  const key = await deriveKey(store, passphrase);
  try {
    const seed = decrypt(store, key);
    if ((await addressOf(store.alg, seed)) === store.pub) return seed;
    seed.wipe();
    throw new ScripError('WALLET_INVALID', t`The keystore holds a different key than ${store.pub}`);
  } finally {
    key.fill(0);
  }
}

/** What differs from keystore to keystore; version 1 fixes the rest. */
interface Given extends Cost {
  readonly alg: Algorithm;
  readonly pub: string;
  readonly salt: string;
  readonly nonce: string;
}

function headerOf({ alg, pub, N, p, salt, nonce }: Given): Header {
  return {
    v: 1,
    type: 'scrip-key',
    alg,
    pub,
    kdf: { name: 'scrypt', N, r: BLOCK_SIZE, p, salt },
    cipher: { name: 'aes-256-gcm', nonce },
  };
}

/**
 * Parses a keystore. Only its encrypted part is secret.
 * @param source the keystore's name in errors
 * @throws {ScripError} WALLET_INVALID for any field that is missing, unknown or out of bounds
 */
export function parseKeystore(
  text: string,
  source: Said,
  algorithm: Algorithm = 'ed25519',
): Keystore {
  const value = parseJson(text);
  const store = keystoreIn(value);
  if (store?.alg === algorithm && isSame(value, store)) return store;
  // Don't report the fault: the text may be a key in another format.
  throw new ScripError(
    'WALLET_INVALID',
    t`The keystore ${source} cannot be used: it is not in the version 1 format`,
  );
}

/** The keystore of version 1 with these values; undefined if one of them is out of bounds. */
function keystoreIn(value: unknown): Keystore | undefined {
  const { alg, pub, kdf, cipher, ct }: Loose = Object(value);
  const { N, p, salt }: Loose = Object(kdf);
  const { nonce }: Loose = Object(cipher);
  if (typeof pub !== 'string' || !isAddressOf(alg, pub)) return undefined;
  if (!isWithin(N, { min: MIN_N, max: MAX_N }) || (N & (N - 1)) !== 0) return undefined;
  if (!isWithin(p, { min: 1, max: MAX_P })) return undefined;
  if (!isBytes(salt, SALT_BYTES) || !isBytes(nonce, NONCE_BYTES)) return undefined;
  if (!isBytes(ct, SEED_BYTES + TAG_BYTES)) return undefined;
  return { ...headerOf({ alg, pub, N, p, salt, nonce }), ct };
}

type Loose = Readonly<Record<string, unknown>>;

/** Whether the text held what this program writes, and nothing else. */
function isSame(value: unknown, store: Keystore): boolean {
  return attempt(
    () => canonicalJson(value) === canonicalJson(store),
    () => false,
  );
}

export function keystoreText(store: Keystore): string {
  return `${JSON.stringify(store)}\n`;
}

function decrypt(store: Keystore, key: Buffer): Secret {
  const bytes = Buffer.from(store.ct, 'base64');
  const nonce = Buffer.from(store.cipher.nonce, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundText(store));
  decipher.setAuthTag(bytes.subarray(SEED_BYTES));
  const plain = decipher.update(bytes.subarray(0, SEED_BYTES));
  try {
    decipher.final();
  } catch (cause) {
    plain.fill(0);
    throw new ScripError('PASSPHRASE_WRONG', t`Wrong passphrase, or the keystore was changed`, {
      cause,
    });
  }
  return secretOf(plain);
}

/**
 * Canonical text of the header. The ciphertext authenticates it, so no field can be changed or moved to
 * another file.
 */
function boundText({ v, type, alg, pub, kdf, cipher }: Header): Buffer {
  return Buffer.from(canonicalJson({ v, type, alg, pub, kdf, cipher }));
}

function deriveKey({ kdf }: Header, passphrase: Secret): Promise<Buffer> {
  const { N, r, p } = kdf;
  const salt = Buffer.from(kdf.salt, 'base64');
  // Twice the memory needed; the real limit is the bounds that `parseKeystore` checks.
  const options = { N, r, p, maxmem: 256 * N * r * p };
  return passphrase.use((bytes) => scryptKey(bytes, salt, options));
}

/** Derives 32 bytes by scrypt. */
export function scryptKey(
  passphrase: Buffer,
  salt: Buffer,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function isWithin(
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** Accepts only the canonical base64 of exactly `length` bytes. */
function isBytes(value: unknown, length: number): value is string {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === length && base64(bytes) === value;
}
