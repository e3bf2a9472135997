/** Operations on the paying wallet: create, import, encrypt, export, sign. */

import { attempt } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import type { Derivation } from './derivation.ts';
import {
  createKeyFile,
  lockedSigner,
  newKey,
  readKeyFile,
  replaceKeyFile,
  signerOf,
  unlock,
} from './key-file.ts';
import { type Cost, type Keystore, type Random, sealSeed } from './keystore.ts';
import { type Passphrases, readPlace, type SecretPlace } from './passphrase.ts';
import { KEY_FILE, readPrivateFile } from './private-file.ts';
import type { Secret } from './secret.ts';
import {
  base58OfSeed,
  encryptedKey,
  type FoundKey,
  jsonOfSeed,
  keyText,
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

export type ExportFormat = 'json' | 'base58';

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
     * Creates a key and its file; never overwrites one.
     * @returns the address
     * @throws {ScripError} WALLET_EXISTS, and the codes of a new passphrase
     */
    async create(path: string, protection: Protection): Promise<string> {
      refuseExternal(deps);
      const key = newKey();
      createKeyFile(path, await protectedKey(deps, key, { path, ...protection }));
      return key.address;
    },
    /** Imports a key into a new file. @throws {ScripError} as `create` */
    import: (path: string, request: ImportRequest) => importKey(deps, path, request),
    /**
     * Returns the paying signer: the signer command if there is one, otherwise the key file. An encrypted key
     * knows its address at once, and asks for its passphrase at the first signature.
     * @throws {ScripError} SIGNER_FAILED
     */
    open: async (path: string): Promise<Signer> => external?.() ?? openFile(deps, path),
    /** Returns the address of a key file; undefined if there is no usable one. */
    addressAt: async (path: string) => addressAt(path),
    /** Encrypts a key file in place. @returns the address */
    encrypt: (path: string, { isWeakOk }: Pick<Protection, 'isWeakOk'>) =>
      encrypt(deps, path, isWeakOk),
    /** Re-encrypts a key file with a new passphrase. @returns the address */
    changePassphrase: (path: string, options: NewPassphrase) =>
      changePassphrase(deps, path, options),
    /** Returns the unencrypted key as text; it is secret. */
    async reveal(path: string, format: ExportFormat) {
      refuseExternal(deps);
      const { address, seed } = await openSeedOf(deps, path);
      const text = format === 'json' ? jsonOfSeed(seed) : base58OfSeed(seed);
      seed.wipe();
      return { address, text };
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

function openFile(deps: WalletDeps, path: string): Signer {
  const key = readKeyFile(path);
  if (key.kind === 'plain') return signerOf(key.seed);
  return lockedSigner(key.store, async () => (await unlocked(deps, key.store, path)).seed);
}

function addressAt(path: string): string | undefined {
  const key = attempt(
    () => readKeyFile(path),
    () => undefined,
  );
  if (key?.kind === 'plain') key.seed.wipe();
  return key?.address;
}

async function importKey(deps: WalletDeps, path: string, request: ImportRequest) {
  refuseExternal(deps);
  const { key: found, from } = await findKey(deps, request);
  const key = await protectedKey(deps, found, { path, ...request });
  createKeyFile(path, key);
  return { address: key.address, from, isEncrypted: key.kind === 'encrypted' };
}

async function findKey(deps: WalletDeps, request: ImportRequest): Promise<FoundKey> {
  const { derivation, isSeed, phrasePassphraseFile } = request;
  const { text, source } = await secretText(deps, request.place);
  const phrasePassphrase =
    phrasePassphraseFile === undefined
      ? undefined
      : await readPlace({ place: { file: phrasePassphraseFile }, readFd: deps.readFd });
  return readSecretText(text, {
    source,
    isSeed,
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
    const text = await askHidden(t`Secret key in base58, or recovery phrase: `);
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

/** Returns the key as it is written to the file: encrypted if requested. A keystore keeps its passphrase. */
async function protectedKey(
  deps: WalletDeps,
  key: StoredKey,
  { path, isEncrypted, isWeakOk }: Protection & { readonly path: string },
): Promise<StoredKey> {
  if (!isEncrypted || key.kind === 'encrypted') return key;
  const passphrase = await deps.passphrases.fresh(t`New passphrase of ${path}`, { isWeakOk });
  return sealed(deps, key.seed, passphrase);
}

/**
 * Encrypts a seed, and test-decrypts it before it replaces anything: a keystore that does not open is lost
 * money.
 */
async function sealed(
  { random, cost }: WalletDeps,
  seed: Secret,
  passphrase: Secret,
): Promise<StoredKey> {
  const store = await sealSeed({ seed, passphrase }, random, cost);
  (await unlock(store, passphrase)).wipe();
  passphrase.wipe();
  return encryptedKey(store);
}

async function encrypt(deps: WalletDeps, path: string, isWeakOk: boolean): Promise<string> {
  refuseExternal(deps);
  const key = readKeyFile(path);
  if (key.kind === 'encrypted') {
    throw new ScripError('INPUT_INVALID', t`${path} is already encrypted`, {
      hint: t`Run: scrip wallet change-passphrase`,
    });
  }
  replaceKeyFile(path, await protectedKey(deps, key, { path, isEncrypted: true, isWeakOk }));
  key.seed.wipe();
  return key.address;
}

async function changePassphrase(
  deps: WalletDeps,
  path: string,
  { isWeakOk, place }: NewPassphrase,
): Promise<string> {
  refuseExternal(deps);
  const key = readKeyFile(path);
  if (key.kind === 'plain') {
    throw new ScripError('INPUT_INVALID', t`${path} has no passphrase`, {
      hint: t`Run: scrip wallet encrypt`,
    });
  }
  const { seed } = await unlocked(deps, key.store, path);
  const fresh = deps.passphrasesAt(place);
  const passphrase = await fresh.fresh(t`New passphrase of ${path}`, { isWeakOk });
  replaceKeyFile(path, await sealed(deps, seed, passphrase));
  seed.wipe();
  return key.address;
}

interface OpenedKey {
  readonly address: string;
  readonly seed: Secret;
}

async function openSeedOf(deps: WalletDeps, path: string): Promise<OpenedKey> {
  const key = readKeyFile(path);
  return key.kind === 'plain' ? key : unlocked(deps, key.store, path);
}

/** Asks until the keystore opens: at most three tries, with a second's wait after a wrong one. */
async function unlocked(
  { passphrases, clock, signal }: WalletDeps,
  store: Keystore,
  path: string,
): Promise<OpenedKey> {
  for (let tried = 1; ; tried += 1) {
    const again = tried === 1 ? '' : t`Wrong passphrase. `;
    const passphrase = await passphrases.current(t`${again}Passphrase of ${path}`);
    try {
      return { address: store.pub, seed: await unlock(store, passphrase) };
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
