/** The sandbox's secret and the keys derived from it. The secret lives beside the database, not in it. */

import { createHmac, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createDurably, makeFolder, readChecked } from '../disk/files.ts';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { fingerprintOf } from '../store/ownership.ts';

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
  return drawFrom(readSecret(file) ?? madeSecret(file));
}

/** The same; undefined if it is missing. @throws {ScripError} STORE_UNUSABLE */
export function readSecrets(dataDir: string): Draw | undefined {
  const master = readSecret(join(dataDir, SECRET_FILE));
  return master && drawFrom(master);
}

function drawFrom(master: Uint8Array): Draw {
  return (purpose) => createHmac('sha256', master).update(purpose).digest();
}

/** Where a sandbox keeps its secret, and its shop if that is not in a file beside it. */
export interface ShopPlace {
  readonly dataDir: string;
  readonly database?: string | undefined;
}

/**
 * Refuses a secret other than the one that the store was created with: it would derive other
 * addresses and could not decrypt the vouchers.
 * @param known the fingerprint that the store keeps
 * @throws {ScripError} STORE_UNUSABLE
 */
export function checkSecrets(
  draw: Draw | undefined,
  known: string | undefined,
  { dataDir, database }: ShopPlace,
): void {
  if (known === undefined || (draw && fingerprintOf(draw) === known)) return;
  if (database !== undefined) {
    const sentence =
      draw === undefined
        ? t`There is no secret.key in ${dataDir}, and the database was begun with one`
        : t`secret.key does not belong to this database`;
    throw new ScripError('STORE_UNUSABLE', sentence, {
      hint: t`Copy the secret.key of the shop’s other servers into ${dataDir}, or name another database.`,
    });
  }
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
    makeFolder(dirname(file));
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
