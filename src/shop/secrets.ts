/** Reads the secrets that a shop's configuration names, each from its file or variable. */

import { createHmac } from 'node:crypto';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { fingerprintOf } from '../store/ownership.ts';
import { statementBy } from '../wallet/algorithm.ts';
import { evmKeyOf, lockedSigner, signerOf, signerOfPlain, unlock } from '../wallet/key-file.ts';
import { type Keystore, parseKeystore } from '../wallet/keystore.ts';
import { passphraseOf } from '../wallet/passphrase.ts';
import { readPrivateFile } from '../wallet/private-file.ts';
import { seedOfJson } from '../wallet/secret-text.ts';
import type { KeyPlace, SecretPlace } from './shop-config.ts';

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

/**
 * A key in the Solana CLI's format, or one that `scrip wallet` encrypted: that one is opened by its first
 * signature (`openKey`).
 * @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE, WALLET_INVALID
 */
export function readSigner(place: KeyPlace, what: Message, sources: SecretSources): Signer {
  const text = readSecret(place, what, sources);
  const source = place.file ?? place.env ?? '';
  if (!text.startsWith('{')) return signerOf(seedOfJson(text, source));
  const store = parseKeystore(text, source);
  return lockedKey(store, place, what, sources);
}

/**
 * A key for EVM networks: 64 hex digits, or one that `scrip wallet` encrypted.
 * @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE, WALLET_INVALID
 */
export async function readEvmSigner(
  place: KeyPlace,
  what: Message,
  sources: SecretSources,
): Promise<Signer> {
  const source = place.file ?? place.env ?? '';
  const key = await evmKeyOf(readSecret(place, what, sources), source);
  return key.kind === 'plain' ? signerOfPlain(key) : lockedKey(key.store, place, what, sources);
}

function lockedKey(
  store: Keystore,
  { passphrase }: KeyPlace,
  what: Message,
  sources: SecretSources,
): Signer {
  if (passphrase === undefined) {
    throw new ScripError('INPUT_INVALID', t`The ${what} is encrypted, and no passphrase is named`, {
      hint: t`Add "passphrase": { "file": "…" } beside its file.`,
    });
  }
  const words = readSecret(passphrase, t`passphrase of the ${what}`, sources);
  return lockedSigner(store, () => unlock(store, passphraseOf(words)));
}

/** Opens an encrypted key now, so that a wrong passphrase is found before the first payment. */
export async function openKey(signer: Signer): Promise<void> {
  await signer.sign(await statementBy(signer.address, 'scrip serve'));
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
export function checkSeed(draw: Draw, known: string | undefined): void {
  if (known === undefined || known === fingerprintOf(draw)) return;
  throw new ScripError('STORE_UNUSABLE', t`The master seed does not belong to this database`, {
    hint: t`Use the seed that the shop was started with; a backup has it.`,
  });
}
