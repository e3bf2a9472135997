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
import { dirname, join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Facts } from '../storage/store.ts';

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
    throw new ScripError('STORE_UNUSABLE', t`the sandbox cannot use ${file}`, { cause });
  }
}

/**
 * Refuses a secret that is not the one the store was begun with: it would make other addresses and
 * could not read the vouchers.
 * @throws {ScripError} STORE_UNUSABLE
 */
export async function checkSecrets(draw: Draw, facts: Facts): Promise<void> {
  const fingerprint = Buffer.from(draw('fingerprint')).toString('hex');
  if ((await facts.once('secret fingerprint', fingerprint)) === fingerprint) return;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`secret.key is not the one that sandbox.db was begun with`,
    {
      hint: t`Put the first secret.key back beside sandbox.db, or remove both to start over.`,
    },
  );
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
    t`${file} is damaged: ${bytes.length} bytes, not ${SECRET_BYTES}`,
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
  syncFolder(dirname(file));
  return readFileSync(file);
}

/** A database must never outlive the secret that its vouchers are encrypted with. */
function syncFolder(dir: string): void {
  const handle = openSync(dir, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isErrno(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
