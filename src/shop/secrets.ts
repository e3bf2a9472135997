/** Reads the secrets that a shop's configuration names, each from its file or variable. */

import { createHmac } from 'node:crypto';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import type { Signer } from '../rails/rail.ts';
import type { Facts } from '../storage/store.ts';
import { signerOf } from '../wallet/key-file.ts';
import { readPrivateFile } from '../wallet/private-file.ts';
import { seedOfJson } from '../wallet/secret-text.ts';
import type { SecretPlace } from './shop-config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where relative paths start, and the variables of the process. */
export interface SecretSources {
  readonly env: Environment;
  resolvePath(path: string): string;
}

/** Derives 32 bytes for one purpose; the same purpose gives the same bytes. */
export type Draw = (purpose: string) => Uint8Array;

/** @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE for a file that others can read */
export function readSecret(place: SecretPlace, what: Message, sources: SecretSources): string {
  const { file, env = '' } = place;
  if (file !== undefined) {
    const kind = { what, missing: 'INPUT_INVALID' } as const;
    return readPrivateFile(sources.resolvePath(file), kind).toString('utf8').trim();
  }
  const value = sources.env[env]?.trim();
  if (value) return value;
  throw new ScripError(
    'INPUT_INVALID',
    t`The variable ${env}, which holds the ${what}, is not set`,
  );
}

/** A key in the Solana CLI's format. @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE, WALLET_INVALID */
export function readSigner(place: SecretPlace, what: Message, sources: SecretSources): Signer {
  const text = readSecret(place, what, sources);
  return signerOf(seedOfJson(text, place.file ?? place.env ?? ''));
}

/** @throws {ScripError} INPUT_INVALID when it is not 64 hex digits, and what `readSecret` throws */
export function readMasterSeed(place: SecretPlace, sources: SecretSources): Draw {
  const text = readSecret(place, t`master seed`, sources);
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new ScripError('INPUT_INVALID', t`The master seed is not 64 hex digits`, {
      hint: t`Make one with: openssl rand -hex 32`,
    });
  }
  const seed = Buffer.from(text, 'hex');
  return (purpose) => createHmac('sha256', seed).update(`shop ${purpose}`).digest();
}

/**
 * Refuses another seed than the database was begun with: it would derive other keys, and could not
 * decrypt the vouchers.
 * @throws {ScripError} STORE_UNUSABLE
 */
export async function checkSeed(draw: Draw, facts: Facts): Promise<void> {
  const fingerprint = Buffer.from(draw('fingerprint')).toString('hex');
  if ((await facts.once('master seed fingerprint', fingerprint)) === fingerprint) return;
  throw new ScripError('STORE_UNUSABLE', t`The master seed does not belong to this database`, {
    hint: t`Use the seed that the shop was started with; a backup has it.`,
  });
}
