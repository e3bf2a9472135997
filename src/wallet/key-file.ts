/** Key files in the Solana CLI's format: a JSON array of 64 numbers, seed then public key. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { geteuid } from 'node:process';
import { type Code, ScripError } from '../domain/errors.ts';
import type { Signer } from '../rails/rail.ts';
import { decodeBase58 } from '../rails/solana/base58.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';

const SEED_BYTES = 32;
const KEY_BYTES = 64;
/** A key file has about 230 bytes; nothing larger is read (reliability 4.1). */
const MAX_FILE_BYTES = 4_096;

/**
 * Opens a key file after checking that nobody else could have read or replaced it.
 * @throws {ScripError} WALLET_MISSING, WALLET_UNSAFE, WALLET_INVALID
 */
export function openKeyFile(path: string): Signer {
  return signerOf(readKey(path), path);
}

/**
 * Creates a key and its file, readable by the owner alone.
 * @returns the address
 * @throws {ScripError} WALLET_EXISTS, WALLET_UNSAFE
 */
export function createKeyFile(path: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const key = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  const { address } = signerOf(key, path);
  writeKey(path, key);
  return address;
}

/**
 * Copies a key file after the same checks as for opening it.
 * @returns the address
 * @throws {ScripError} WALLET_MISSING, WALLET_UNSAFE, WALLET_INVALID, WALLET_EXISTS
 */
export function importKeyFile(path: string, from: string): string {
  const key = readKey(from);
  const { address } = signerOf(key, from);
  writeKey(path, key);
  return address;
}

function readKey(path: string): Uint8Array {
  const file = openPrivately(path);
  try {
    checkFile(fstatSync(file), path);
    checkFolder(path);
    // One byte more than allowed shows a file that grew after it was checked.
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return parseKey(bytes.toString('utf8', 0, length), path);
  } finally {
    closeSync(file);
  }
}

/** Opens without following a link in the last place: the checks are then made on this very file. */
function openPrivately(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ScripError('WALLET_MISSING', `There is no key file at ${path}`, { cause: error });
    }
    const why = code === 'ELOOP' ? 'is a link' : `cannot be opened (${code})`;
    throw unsafe(path, why, error);
  }
}

function checkFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw unsafe(path, 'is not a regular file');
  const owner = geteuid?.();
  if (owner !== undefined && stats.uid !== owner) throw unsafe(path, 'belongs to another user');
  if (owner !== undefined && (stats.mode & 0o077) !== 0) {
    throw unsafe(path, `can be used by others (mode ${(stats.mode & 0o777).toString(8)})`);
  }
  if (stats.nlink > 1) throw unsafe(path, 'has a second name (hard link)');
  if (stats.size > MAX_FILE_BYTES) {
    throw invalid(path, `it has ${stats.size} bytes, more than a key needs`);
  }
}

/** Whoever may write into the folder could put another key in the file's place. */
function checkFolder(path: string): void {
  const folder = dirname(path);
  const { mode } = statSync(folder);
  // In a sticky folder, such as /tmp, only the owner may replace a file.
  if (geteuid === undefined || (mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  const hint = `Run: chmod go-w ${folder}`;
  throw unsafe(path, 'is in a folder that others may write to', undefined, hint);
}

function parseKey(text: string, path: string): Uint8Array {
  const value = parseJson(text);
  const isKey =
    Array.isArray(value) &&
    value.length === KEY_BYTES &&
    value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  // Never a word of what the file holds: it may be a key in another format.
  if (!isKey) throw invalid(path, `it is not a JSON array of ${KEY_BYTES} numbers`);
  return Uint8Array.from(value);
}

/** A wrong public half would show an address whose money this key cannot move. */
function signerOf(key: Uint8Array, path: string): Signer {
  const signer = signerFromSeed(key.subarray(0, SEED_BYTES));
  const isPair = Buffer.from(decodeBase58(signer.address)).equals(key.subarray(SEED_BYTES));
  if (!isPair) throw invalid(path, 'its public half does not belong to its secret half');
  return opaque(signer);
}

/** A signer of which printing shows the address alone. */
function opaque({ address, sign }: Signer): Signer {
  return Object.defineProperty({ address, sign }, Symbol.for('nodejs.util.inspect.custom'), {
    value: () => `Signer { address: '${address}', secret: [secret] }`,
  });
}

function writeKey(path: string, key: Uint8Array): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  makeFolder(folder, path);
  try {
    writeSynced(temporary, `[${key.join(',')}]\n`);
    // Linking, unlike renaming, cannot replace a key that is already there.
    linkSync(temporary, path);
    unlinkSync(temporary);
    syncFolder(folder);
  } catch (error) {
    removeQuietly(temporary);
    if (errorCode(error) !== 'EEXIST') throw unwritable(path, error);
    throw fileError('WALLET_EXISTS', `There is already a file at ${path}`, error);
  }
}

function makeFolder(folder: string, path: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(path, error);
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created, or is already gone.
  }
}

function unwritable(path: string, error: unknown): ScripError {
  const hint = 'Name a place that you may write to with --keypair.';
  return unsafe(path, `cannot be written (${errorCode(error)})`, error, hint);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unsafe(path: string, why: string, cause?: unknown, hint?: string): ScripError {
  return fileError('WALLET_UNSAFE', `The key file ${path} ${why}`, cause, hint);
}

function invalid(path: string, why: string): ScripError {
  return fileError('WALLET_INVALID', `The key file ${path} cannot be used: ${why}`);
}

function fileError(code: Code, message: string, cause?: unknown, hint?: string): ScripError {
  return new ScripError(code, message, { cause, ...(hint === undefined ? {} : { hint }) });
}
