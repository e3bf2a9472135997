/** Key files, either in the Solana CLI's format or encrypted; the text shows which. */

import { once } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { type Algorithm, signerFor } from './algorithm.ts';
import { type Keystore, keystoreText, openSeed, parseKeystore } from './keystore.ts';
import {
  createPrivateFile,
  KEY_FILE,
  readPrivateFile,
  replacePrivateFile,
} from './private-file.ts';
import { opaque, type Secret } from './secret.ts';
import {
  encryptedKey,
  evmKey,
  hexOfSeed,
  jsonOfSeed,
  keyText,
  notOfKeyFile,
  type PlainKey,
  plainKey,
  type StoredKey,
  seedOfJson,
} from './secret-text.ts';

/**
 * Reads a key file after checking that no other user could have read or replaced it.
 * @throws {ScripError} WALLET_MISSING, WALLET_UNSAFE, WALLET_INVALID
 */
export function readKeyFile(path: string): StoredKey {
  // Trimming takes a byte order mark away too.
  const text = keyText(readPrivateFile(path, KEY_FILE), path).trim();
  if (text.startsWith('{')) return encryptedKey(parseKeystore(text, path));
  if (!text.startsWith('[')) throw notOfKeyFile(text, path);
  return plainKey(seedOfJson(text, path));
}

/** Reads the file of a key for EVM networks. @throws {ScripError} as `readKeyFile` */
export async function readEvmKeyFile(path: string): Promise<StoredKey> {
  return evmKeyOf(keyText(readPrivateFile(path, KEY_FILE), path).trim(), path);
}

/** Reads a key for EVM networks as its file keeps it. @throws {ScripError} WALLET_INVALID */
export async function evmKeyOf(text: string, source: Said): Promise<StoredKey> {
  if (text.startsWith('{')) return encryptedKey(parseKeystore(text, source, 'secp256k1'));
  const seed = (await import('./evm-key.ts')).seedOfHex(text);
  if (seed !== undefined) return evmKey(seed);
  throw new ScripError(
    'WALLET_INVALID',
    t`The key in ${source} cannot be used: ${t`it is not 64 hex digits`}`,
  );
}

/** Writes a new key file. @throws {ScripError} WALLET_EXISTS, WALLET_UNSAFE */
export function createKeyFile(path: string, key: StoredKey): void {
  createPrivateFile(path, textOf(key));
}

/**
 * Replaces a key file with another form of the same key.
 * @throws {ScripError} WALLET_UNSAFE
 */
export function replaceKeyFile(path: string, key: StoredKey): void {
  replacePrivateFile(path, textOf(key));
}

function textOf(key: StoredKey): string {
  return key.kind === 'plain' ? TEXTS[key.alg](key.seed) : keystoreText(key.store);
}

const TEXTS: Readonly<Record<Algorithm, (seed: Secret) => string>> = {
  ed25519: jsonOfSeed,
  secp256k1: hexOfSeed,
};

/** Returns the signer of an unencrypted key. Wipes the seed; only the signer keeps the key. */
export async function signerOfPlain({ alg, seed }: PlainKey): Promise<Signer> {
  const signer = await signerFor(alg, seed);
  seed.wipe();
  return hidden(signer);
}

/** The same at once, of a key of Solana. */
export function signerOf(seed: Secret): Signer {
  const signer = seed.use((bytes) => signerFromSeed(bytes));
  seed.wipe();
  return hidden(signer);
}

/** Returns a signer that knows its address at once, and decrypts the key at the first signature. */
export function lockedSigner(store: Keystore, open: () => Promise<Secret>): Signer {
  const opened = once(async () => {
    const seed = await open();
    const signer = await signerFor(store.alg, seed);
    seed.wipe();
    return signer;
  });
  return hidden({
    address: store.pub,
    sign: async (message) => (await opened()).sign(message),
  });
}

/** Decrypts the seed of a keystore. @throws {ScripError} PASSPHRASE_WRONG, WALLET_INVALID */
export async function unlock(store: Keystore, passphrase: Secret): Promise<Secret> {
  try {
    return await openSeed(store, passphrase);
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw new ScripError('WALLET_INVALID', t`The keystore of ${store.pub} cannot be opened`, {
      cause,
      hint: t`Decrypting it needs up to 1 GiB of memory, as its header says. Free memory and try again.`,
    });
  }
}

/** Makes printing the signer show only its address. */
export function hidden(signer: Signer): Signer {
  return opaque(signer, () => `Signer { address: '${signer.address}', secret: [secret] }`);
}
