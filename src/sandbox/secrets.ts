/** The sandbox's secret and the keys derived from it. The secret lives beside the database, not in it. */

import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { readChecked } from '../storage/checked-file.ts';
import { createDurably } from '../storage/durable-file.ts';
import type { Facts } from '../storage/store.ts';

export const SECRET_FILE = 'secret.key';
const SECRET_BYTES = 32;

/** Derives 32 bytes for one purpose; the same purpose gives the same bytes. */
export type Draw = (purpose: string) => Uint8Array;

/**
 * Opens the secret of a data folder; creates it if missing.
 * @throws {ScripError} STORE_UNUSABLE when the folder cannot be written or the file is damaged
 */
export function openSecrets(dataDir: string): Draw {
  const file = join(dataDir, SECRET_FILE);
  const master = readSecret(file) ?? madeSecret(file);
  return (purpose) => createHmac('sha256', master).update(purpose).digest();
}

/**
 * Refuses a secret other than the one that the store was created with: it would derive other
 * addresses and could not decrypt the vouchers.
 * @throws {ScripError} STORE_UNUSABLE
 */
export async function checkSecrets(draw: Draw, facts: Facts): Promise<void> {
  const fingerprint = Buffer.from(draw('fingerprint')).toString('hex');
  if ((await facts.once('secret fingerprint', fingerprint)) === fingerprint) return;
  throw new ScripError('STORE_UNUSABLE', t`secret.key does not belong to this sandbox.db`, {
    hint: t`Put the original secret.key back beside sandbox.db, or remove both to start over.`,
  });
}

/** Pays the network fees. */
export function feePayerFrom(draw: Draw): Signer {
  return signerFromSeed(draw('fee payer'));
}

function readSecret(file: string): Buffer | undefined {
  const secret = readChecked(file, { maxBytes: 4_096, isLinkFollowed: true });
  if (secret.fault === 'missing') return undefined;
  if (secret.fault !== undefined) throw unusable(file, secret.cause);
  const { length } = secret.bytes;
  if (length === SECRET_BYTES) return secret.bytes;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`${file} is damaged: ${length} bytes, not ${SECRET_BYTES}`,
  );
}

/** If several processes create the secret at once, all use the first one written. */
function madeSecret(file: string): Buffer {
  const secret = randomBytes(SECRET_BYTES);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createDurably(file, secret, { isWholeAtOnce: true });
    return secret;
  } catch (cause) {
    const winner = errorCode(cause) === 'EEXIST' ? readSecret(file) : undefined;
    if (winner !== undefined) return winner;
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): ScripError {
  return new ScripError('STORE_UNUSABLE', t`The sandbox cannot use ${file}`, { cause });
}
