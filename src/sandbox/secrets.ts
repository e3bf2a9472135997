/** The sandbox's one secret, and the keys drawn from it. It lives beside the database, not in it. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ScripError } from '../domain/errors.ts';

const SECRET_BYTES = 32;

/** Draws 32 bytes for one purpose; the same purpose gives the same bytes. */
export type Draw = (purpose: string) => Uint8Array;

/**
 * Opens the secret of a data folder, and makes it first where there is none.
 * @throws {ScripError} STORE_UNUSABLE when the folder cannot be written or the file is damaged
 */
export function openSecrets(dataDir: string): Draw {
  const file = join(dataDir, 'secret.key');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const master = readSecret(file) ?? createSecret(file);
    return (purpose) => createHmac('sha256', master).update(purpose).digest();
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw new ScripError('STORE_UNUSABLE', `the sandbox cannot use ${file}`, { cause });
  }
}

function readSecret(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    if (isErrno(cause, 'ENOENT')) return undefined;
    throw cause;
  }
  if (bytes.length === SECRET_BYTES) return bytes;
  throw new ScripError(
    'STORE_UNUSABLE',
    `${file} is damaged: ${bytes.length} bytes, not ${SECRET_BYTES}`,
  );
}

/** Several processes may start at once: `link` lets one of them win, and all read the winner's. */
function createSecret(file: string): Buffer {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, randomBytes(SECRET_BYTES));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(draft, file);
  } catch (cause) {
    if (!isErrno(cause, 'EEXIST')) throw cause;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file);
}

function isErrno(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
