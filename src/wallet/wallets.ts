/** Operations on the paying wallet: create, import, encrypt, export, sign. */

import { existsSync } from 'node:fs';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { ALGORITHMS, type Algorithm, algorithmOf } from './algorithm.ts';
import type { Derivation } from './derivation.ts';
import {
  createKeyFile,
  lockedSigner,
  readEvmKeyFile,
  readKeyFile,
  replaceKeyFile,
  signerOfPlain,
  unlock,
} from './key-file.ts';
import { evmKeyPath } from './key-paths.ts';
import { type Cost, type Keystore, type Random, sealSeed } from './keystore.ts';
import { type Passphrases, readPlace, type SecretPlace } from './passphrase.ts';
import { createPrivateFile, KEY_FILE, readPrivateFile } from './private-file.ts';
import type { Secret } from './secret.ts';
import {
  base58OfSeed,
  encryptedKey,
  type FoundKeys,
  hexOfSeed,
  jsonOfSeed,
  keysOfPhrase,
  keyText,
  newPhrase,
  readSecretText,
  type StoredKey,
} from './secret-text.ts';

/** Whether and how a new key file is encrypted. */
export interface Protection {
  readonly isEncrypted: boolean;
  /** Accepts a passphrase of fewer than 12 characters. */
  readonly isWeakOk: boolean;
}

export interface ImportRequest extends Protection {
  /** A file, `-` or a descriptor; if empty, the user is asked in the terminal. */
  readonly place: SecretPlace;
  readonly derivation?: Derivation;
  /** Confirms that 32 bytes in base58 are a seed. */
  readonly isSeed: boolean;
  /** A file with the phrase's own passphrase (BIP39). */
  readonly phrasePassphraseFile?: string;
}

export interface NewWallet extends Protection {
  /** Makes only the key for the networks of this namespace. */
  readonly namespace?: string | undefined;
  /** A new file for the recovery phrase of the keys. */
  readonly phraseFile?: string | undefined;
}

export type ExportFormat = 'json' | 'base58' | 'hex';

const EXPORTS: Readonly<Record<ExportFormat, (seed: Secret) => string>> = {
  json: jsonOfSeed,
  base58: base58OfSeed,
  hex: hexOfSeed,
};

export interface WalletDeps {
  readonly passphrases: Passphrases;
  /** Reads a new passphrase from another place than the current one. */
  readonly passphrasesAt: (place: SecretPlace) => Passphrases;
  readonly readFd: (fd: number) => Promise<Buffer>;
  readonly askHidden: ((question: Message) => Promise<string>) | undefined;
  readonly random: Random;
  /** Cost of opening a new keystore; the default if omitted. */
  readonly cost?: Cost;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Starts the signer command, if one is set. */
  readonly external?: () => Promise<Signer>;
}

const TRIES = 3;
/** Wait after a wrong passphrase in a terminal. */
const BACKOFF_MS = 1_000;

export type Wallets = ReturnType<typeof createWallets>;

/** What throws may also throw the codes of a key file: WALLET_MISSING, WALLET_UNSAFE, WALLET_INVALID. */
export function createWallets(deps: WalletDeps) {
  const { external } = deps;
  return {
    /**
     * Creates keys and their files; never overwrites one.
     * @throws {ScripError} WALLET_EXISTS, and the codes of a new passphrase
     */
    create: (path: string, protection: NewWallet) => create(deps, path, protection),
    /** Imports a key into a new file. @throws {ScripError} as `create` */
    import: (path: string, request: ImportRequest) => importKey(deps, path, request),
    /**
     * Returns the paying signer: the signer command if there is one, otherwise the key file. An encrypted key
     * knows its address at once, and asks for its passphrase at the first signature.
     * @throws {ScripError} SIGNER_FAILED
     */
    open: async (path: string): Promise<Signer> => external?.() ?? openWallet(deps, path),
    /** Returns the namespaces (CAIP-2) of the networks that the wallet has a key for, the first key's first. */
    namespaces: async (path: string): Promise<readonly string[]> =>
      external === undefined
        ? algorithmsAt(path).map((algorithm) => FILES[algorithm].namespace)
        : namespacesOf((await external()).address),
    /** Returns the signer for the networks of a namespace. @throws {ScripError} WALLET_MISSING */
    openOn: async (path: string, namespace: string): Promise<Signer> => {
      const signer = await external?.();
      if (signer === undefined) return openOn(deps, path, namespace);
      if (namespacesOf(signer.address).includes(namespace)) return signer;
      throw noKeyOn(namespace);
    },
    /** Returns the address of a wallet's first key; undefined if there is no usable one. */
    addressAt: async (path: string) => addressAt(path),
    /** Encrypts the key files in place. @returns the address */
    encrypt: (path: string, { isWeakOk }: Pick<Protection, 'isWeakOk'>) =>
      encrypt(deps, path, isWeakOk),
    /** Re-encrypts the key files with a new passphrase. @returns the address */
    changePassphrase: (path: string, options: NewPassphrase) =>
      changePassphrase(deps, path, options),
    /** Returns the unencrypted key as text; it is secret. */
    async reveal(path: string, format: ExportFormat) {
      refuseExternal(deps);
      const key = await readKey(path, format === 'hex' ? 'secp256k1' : 'ed25519');
      const seed = await openSeedOf(deps, key, path);
      const text = EXPORTS[format](seed);
      seed.wipe();
      return { address: key.address, text };
    },
  };
}

interface NewPassphrase extends Pick<Protection, 'isWeakOk'> {
  readonly place: SecretPlace;
}

/** Refuses commands on key files when a signer command is set. */
function refuseExternal({ external }: WalletDeps): void {
  if (external === undefined) return;
  throw new ScripError('USAGE', t`The wallet is a signer command, so there is no key file`, {
    hint: t`Name a key file with --keypair, or leave --signer-command out.`,
  });
}

/** The files of a wallet: the key file, and the one beside it for EVM networks. */
const FILES: Readonly<
  Record<Algorithm, { readonly namespace: string; readonly pathOf: (path: string) => string }>
> = {
  ed25519: { namespace: 'solana', pathOf: (path) => path },
  secp256k1: { namespace: 'eip155', pathOf: evmKeyPath },
};

/** The algorithms of the keys that a wallet has, the first one first. */
function algorithmsAt(path: string): readonly Algorithm[] {
  const there = ALGORITHMS.filter((algorithm) => existsSync(FILES[algorithm].pathOf(path)));
  // Reading what is missing reports it.
  return there.length === 0 ? ['ed25519'] : there;
}

/** @throws {ScripError} WALLET_MISSING, WALLET_UNSAFE, WALLET_INVALID */
async function readKey(path: string, algorithm: Algorithm | undefined): Promise<StoredKey> {
  if (algorithm !== 'secp256k1') return readKeyFile(path);
  return readEvmKeyFile(evmKeyPath(path));
}

function keysOf(path: string): Promise<readonly StoredKey[]> {
  return Promise.all(algorithmsAt(path).map((algorithm) => readKey(path, algorithm)));
}

async function openWallet(deps: WalletDeps, path: string): Promise<Signer> {
  return signerOfKey(deps, await readKey(path, algorithmsAt(path)[0]), path);
}

async function openOn(deps: WalletDeps, path: string, namespace: string): Promise<Signer> {
  const algorithm = algorithmsAt(path).find((one) => FILES[one].namespace === namespace);
  if (algorithm === undefined) throw noKeyOn(namespace);
  return signerOfKey(deps, await readKey(path, algorithm), path);
}

function kindOf(key: StoredKey): Algorithm {
  return key.kind === 'plain' ? key.alg : key.store.alg;
}

/** The namespaces that an address signs for. */
export function namespacesOf(address: string): readonly string[] {
  const algorithm = algorithmOf(address);
  return algorithm === undefined ? [] : [FILES[algorithm].namespace];
}

async function signerOfKey(deps: WalletDeps, key: StoredKey, path: string): Promise<Signer> {
  if (key.kind === 'encrypted') {
    return lockedSigner(key.store, () => unlockedOne(deps, key.store, path));
  }
  return signerOfPlain(key);
}

async function addressAt(path: string): Promise<string | undefined> {
  const key = await readKey(path, algorithmsAt(path)[0]).catch(expected(() => undefined));
  if (key?.kind === 'plain') key.seed.wipe();
  return key?.address;
}

const NO_KEY: Readonly<Record<string, readonly [sentence: Message, hint: Message]>> = {
  solana: [t`The wallet has no key for Solana`, t`Import one: scrip wallet import <file>`],
  eip155: [
    t`The wallet has no key for Base`,
    t`Make one: scrip wallet new --network base; or import one: scrip wallet import <file>`,
  ],
};

export function noKeyOn(namespace: string): ScripError {
  const [sentence, hint] = NO_KEY[namespace] ?? [
    t`The wallet has no key for ${namespace} networks`,
  ];
  return new ScripError('WALLET_MISSING', sentence, hint && { hint });
}

/** What was made or imported. */
interface WrittenKeys {
  /** Address of the wallet's first key. */
  readonly address: string;
  /** Address on EVM networks, if a key for them was written. */
  readonly evmAddress: string | undefined;
  readonly isEncrypted: boolean;
}

async function create(
  deps: WalletDeps,
  path: string,
  { namespace, phraseFile, ...protection }: NewWallet,
): Promise<WrittenKeys> {
  refuseExternal(deps);
  const phrase = await newPhrase(deps.random(PHRASE_BYTES));
  const keys = (await keysOfPhrase(phrase)).filter(
    (key) => namespace === undefined || FILES[kindOf(key)].namespace === namespace,
  );
  checkNone(keys, path);
  if (phraseFile !== undefined) createPrivateFile(phraseFile, `${phrase}\n`);
  return writeKeys(deps, path, keys, protection);
}

/** 12 words. */
const PHRASE_BYTES = 16;

async function importKey(deps: WalletDeps, path: string, request: ImportRequest) {
  refuseExternal(deps);
  const { keys, from } = await findKeys(deps, request);
  checkNone(keys, path);
  return { ...(await writeKeys(deps, path, keys, request)), from };
}

/** Refuses before anything is written if one of the files is there. */
function checkNone(keys: readonly StoredKey[], path: string): void {
  // A first key beside another would give the wallet a new name: its records would not be found.
  const own = keys.some((key) => kindOf(key) === 'ed25519') ? [evmKeyPath(path)] : [];
  const files = [...keys.map((key) => fileOf(key, path)), ...own];
  const there = files.find((file) => existsSync(file));
  if (there === undefined) return;
  const isOnlyEvm = own.includes(there) && !existsSync(path);
  throw new ScripError('WALLET_EXISTS', t`There is already a file at ${there}`, {
    hint: isOnlyEvm
      ? t`This wallet has only a key for Base, and its purchases go by that key. For a wallet with keys for both networks: --keypair <new file>`
      : undefined,
  });
}

function fileOf(key: StoredKey, path: string): string {
  return FILES[kindOf(key)].pathOf(path);
}

async function writeKeys(
  deps: WalletDeps,
  path: string,
  keys: readonly StoredKey[],
  protection: Protection,
): Promise<WrittenKeys> {
  const written = await protectedKeys(deps, keys, { path, ...protection });
  for (const key of written) createKeyFile(fileOf(key, path), key);
  return {
    address: written[0]?.address ?? '',
    evmAddress: written.find((key) => kindOf(key) === 'secp256k1')?.address,
    isEncrypted: written.some(({ kind }) => kind === 'encrypted'),
  };
}

async function findKeys(deps: WalletDeps, request: ImportRequest): Promise<FoundKeys> {
  const { derivation, isSeed, phrasePassphraseFile } = request;
  const { text, source } = await secretText(deps, request.place);
  const phrasePassphrase =
    phrasePassphraseFile === undefined
      ? undefined
      : await readPlace({ place: { file: phrasePassphraseFile }, readFd: deps.readFd });
  return readSecretText(text, {
    source,
    isSeed,
    passphrase: () => deps.passphrases.current(t`Passphrase of ${source}`),
    ...(derivation === undefined ? {} : { derivation }),
    ...(phrasePassphrase === undefined ? {} : { phrasePassphrase }),
  });
}

async function secretText(
  { readFd, askHidden }: WalletDeps,
  { fd, file }: SecretPlace,
): Promise<{ readonly text: string; readonly source: Said }> {
  const from = fd ?? (file === '-' ? 0 : undefined);
  if (from !== undefined) {
    const source = t`descriptor ${from}`;
    return { text: keyText(await readFd(from), source), source };
  }
  if (file !== undefined) {
    return { text: keyText(readPrivateFile(file, KEY_FILE), file), source: file };
  }
  if (askHidden !== undefined) {
    const text = await askHidden(t`Secret key in base58 or hex, or recovery phrase: `);
    return { text, source: t`the given value` };
  }
  throw new ScripError(
    'TERMINAL_REQUIRED',
    t`No file is named, and there is no terminal to ask for it`,
    {
      hint: t`Run: scrip wallet import <file>, or - for standard input.`,
    },
  );
}

/** Returns the keys as they are written: encrypted if requested. A keystore keeps its passphrase. */
async function protectedKeys(
  deps: WalletDeps,
  keys: readonly StoredKey[],
  { path, isEncrypted, isWeakOk }: Protection & { readonly path: string },
): Promise<readonly StoredKey[]> {
  if (!isEncrypted || keys.every(({ kind }) => kind === 'encrypted')) return keys;
  const passphrase = await deps.passphrases.fresh(t`New passphrase of ${path}`, { isWeakOk });
  return sealedKeys(deps, keys, passphrase);
}

/**
 * Encrypts keys, and test-decrypts each before it replaces anything: a keystore that does not open is lost
 * money.
 */
async function sealedKeys(
  { random, cost }: WalletDeps,
  keys: readonly StoredKey[],
  passphrase: Secret,
): Promise<readonly StoredKey[]> {
  const stored: StoredKey[] = [];
  for (const key of keys) {
    if (key.kind === 'encrypted') {
      stored.push(key);
      continue;
    }
    const store = await sealSeed({ alg: key.alg, seed: key.seed, passphrase }, random, cost);
    (await unlock(store, passphrase)).wipe();
    key.seed.wipe();
    stored.push(encryptedKey(store));
  }
  passphrase.wipe();
  return stored;
}

async function encrypt(deps: WalletDeps, path: string, isWeakOk: boolean): Promise<string> {
  refuseExternal(deps);
  const keys = await keysOf(path);
  if (keys.every(({ kind }) => kind === 'encrypted')) {
    throw new ScripError('INPUT_INVALID', t`${path} is already encrypted`, {
      hint: t`Run: scrip wallet change-passphrase`,
    });
  }
  const stored = await protectedKeys(deps, keys, { path, isEncrypted: true, isWeakOk });
  for (const key of stored) replaceKeyFile(fileOf(key, path), key);
  return keys[0]?.address ?? '';
}

async function changePassphrase(
  deps: WalletDeps,
  path: string,
  { isWeakOk, place }: NewPassphrase,
): Promise<string> {
  refuseExternal(deps);
  const keys = await keysOf(path);
  if (keys.some(({ kind }) => kind === 'plain')) {
    throw new ScripError('INPUT_INVALID', t`${path} has no passphrase`, {
      hint: t`Run: scrip wallet encrypt`,
    });
  }
  const stores = keys.flatMap((key) => (key.kind === 'encrypted' ? [key.store] : []));
  const seeds = await unlocked(deps, stores, path);
  const opened = stores.flatMap(({ alg, pub: address }, at): StoredKey[] => {
    const seed = seeds[at];
    return seed === undefined ? [] : [{ kind: 'plain', alg, address, seed }];
  });
  const fresh = deps.passphrasesAt(place);
  const passphrase = await fresh.fresh(t`New passphrase of ${path}`, { isWeakOk });
  for (const key of await sealedKeys(deps, opened, passphrase)) {
    replaceKeyFile(fileOf(key, path), key);
  }
  return keys[0]?.address ?? '';
}

async function openSeedOf(deps: WalletDeps, key: StoredKey, path: string): Promise<Secret> {
  return key.kind === 'plain' ? key.seed : unlockedOne(deps, key.store, path);
}

async function unlockedOne(deps: WalletDeps, store: Keystore, path: string): Promise<Secret> {
  const [seed] = await unlocked(deps, [store], path);
  if (seed === undefined) throw new ScripError('INTERNAL', verbatim('no keystore was opened'));
  return seed;
}

/** Asks until all keystores open with one passphrase: at most three tries, with a second's wait after a wrong one. */
async function unlocked(
  { passphrases, clock, signal }: WalletDeps,
  stores: readonly Keystore[],
  path: string,
): Promise<readonly Secret[]> {
  for (let tried = 1; ; tried += 1) {
    const again = tried === 1 ? '' : t`Wrong passphrase. `;
    const passphrase = await passphrases.current(t`${again}Passphrase of ${path}`);
    try {
      const seeds: Secret[] = [];
      for (const store of stores) seeds.push(await unlock(store, passphrase));
      return seeds;
    } catch (error) {
      const isWrong = error instanceof ScripError && error.code === 'PASSPHRASE_WRONG';
      if (!isWrong || !passphrases.isAsked) throw error;
      await clock.sleep(BACKOFF_MS, signal);
      if (tried === TRIES) throw error;
    } finally {
      passphrase.wipe();
    }
  }
}
