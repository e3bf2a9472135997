/**
 * Parses keys in the forms people keep them: Solana CLI JSON, base58, a recovery phrase, our own keystore.
 */

import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { parseJson } from '../domain/attempt.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t } from '../domain/message/message.ts';
import { decodeBase58, encodeBase58 } from '../rails/solana/address.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { type Algorithm, addressOf } from './algorithm.ts';
import { accountOf, accountPath, type Derivation, deriveSeed, pathText } from './derivation.ts';
import { type Keystore, parseKeystore } from './keystore.ts';
import { type Secret, secretOf, takeText } from './secret.ts';

const SEED_BYTES = 32;
const PAIR_BYTES = 64;
const PHRASE_LENGTHS: readonly number[] = [12, 15, 18, 21, 24];

export interface PlainKey {
  readonly kind: 'plain';
  readonly alg: Algorithm;
  readonly address: string;
  readonly seed: Secret;
}

export type StoredKey =
  | PlainKey
  | { readonly kind: 'encrypted'; readonly address: string; readonly store: Keystore };

export function plainKey(seed: Secret): StoredKey {
  const { address } = seed.use((bytes) => signerFromSeed(bytes));
  return { kind: 'plain', alg: 'ed25519', address, seed };
}

export async function evmKey(seed: Secret): Promise<StoredKey> {
  const alg = 'secp256k1';
  return { kind: 'plain', alg, address: await addressOf(alg, seed), seed };
}

export function encryptedKey(store: Keystore): StoredKey {
  return { kind: 'encrypted', address: store.pub, store };
}

/** A parsed key. `from` is shown to the user: it explains which address to expect. */
export interface FoundKeys {
  /** One for each network that the text has a key for. */
  readonly keys: readonly StoredKey[];
  readonly from: Said;
}

/** What the text alone does not show. */
export interface Reading {
  /** Name of the text's source in errors. */
  readonly source: Said;
  /** Path for a phrase; default m/44'/501'/0'/0'. */
  readonly derivation?: Derivation;
  /** Confirms that 32 bytes in base58 are a seed, not an address given by mistake. */
  readonly isSeed?: boolean;
  /** The phrase's own passphrase (BIP39), if it has one. */
  readonly phrasePassphrase?: string;
  /** Asks for the passphrase of another wallet's keystore. */
  readonly passphrase: () => Promise<Secret>;
}

/**
 * Parses a key in any of its forms.
 * @throws {ScripError} WALLET_INVALID, which never quotes the text
 */
export async function readSecretText(text: string, reading: Reading): Promise<FoundKeys> {
  const trimmed = text.trim();
  const evm = await evmKeyIn(trimmed, reading);
  if (evm !== undefined) return { keys: [evm], from: trimmed.startsWith('{') ? 'keystore' : 'hex' };
  if (trimmed.startsWith('{')) {
    return { keys: [encryptedKey(parseKeystore(trimmed, reading.source))], from: 'keystore' };
  }
  if (trimmed.startsWith('[')) {
    return { keys: [plainKey(seedOfJson(trimmed, reading.source))], from: 'JSON' };
  }
  const refused = refusedForm(trimmed, reading.source);
  if (refused) throw refused;
  const words = trimmed.split(/\s+/);
  if (words.length > 1) return fromPhrase(words, reading);
  return { keys: [plainKey(seedOfBase58(trimmed, reading))], from: 'base58' };
}

/** A key for EVM networks: 32 bytes in hex, or a keystore of another wallet. */
async function evmKeyIn(text: string, reading: Reading): Promise<StoredKey | undefined> {
  if (!/^(?:0x)?[0-9a-f]{64}$/i.test(text) && !text.startsWith('{')) return undefined;
  const { isSecretStorage, openSecretStorage, seedOfHex } = await import('./evm-key.ts');
  const seed = seedOfHex(text);
  if (seed !== undefined) return evmKey(seed);
  if (!isSecretStorage(text)) return undefined;
  const passphrase = await reading.passphrase();
  const opening = openSecretStorage(text, reading.source, passphrase);
  return evmKey(await opening.finally(() => passphrase.wipe()));
}

/** Returns the text of a file or descriptor and wipes the bytes. @throws {ScripError} WALLET_INVALID */
export function keyText(bytes: Buffer, source: Said): string {
  const text = takeText(bytes);
  // UTF-16 without a mark is UTF-8 with a NUL in each letter.
  if (text !== undefined && !text.includes('\0')) return text;
  throw invalid(source, t`it is not in UTF-8; save it in UTF-8`);
}

/** Forms that are refused, since other keys have them too, or the text is not whole. */
const REFUSED_FORMS: readonly (readonly [form: RegExp, why: Message])[] = [
  [/^$/, t`it is empty`],
  [/^(?:0x)?[0-9a-f]{128}$/i, t`it is hexadecimal, not JSON, a phrase or base58`],
  [
    /^1[.):]?\s*[a-z]+\s+2[.):]?\s*[a-z]/i,
    t`the words of its phrase are numbered; leave the words alone`,
  ],
  [/^\d{1,3}(?:\s*,\s*\d{1,3}){31,},?$/, t`its numbers have no brackets; put [ and ] around them`],
];

function refusedForm(text: string, source: Said): ScripError | undefined {
  const why = REFUSED_FORMS.find(([form]) => form.test(text))?.[1];
  return why && invalid(source, why);
}

/** Says why a key file that holds neither JSON nor a keystore is not read. */
export function notOfKeyFile(text: string, path: string): ScripError {
  return (
    refusedForm(text.trim(), path) ??
    new ScripError(
      'WALLET_INVALID',
      t`The key in ${path} cannot be used: ${t`it is not a JSON array of ${PAIR_BYTES} numbers`}`,
      {
        hint: commandText`If it is a phrase or base58, import it first: scrip wallet import ${path}`,
      },
    )
  );
}

/**
 * Returns the seed of a key in the Solana CLI's format: a JSON array of 64 numbers, seed then public key.
 * @throws {ScripError} WALLET_INVALID
 */
export function seedOfJson(text: string, source: Said): Secret {
  const value = parseJson(text);
  const isKey =
    Array.isArray(value) &&
    value.length === PAIR_BYTES &&
    value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  // Never quote the file: it may be a key in another format.
  if (!isKey) throw invalid(source, t`it is not a JSON array of ${PAIR_BYTES} numbers`);
  return seedOfPair(Buffer.from(value), source);
}

/** Returns the Solana CLI's JSON text of a seed. */
export function jsonOfSeed(seed: Secret): string {
  return usePair(seed, (pair) => `[${pair.join(',')}]\n`);
}

/** Returns the hex text that wallets of EVM networks accept. */
export function hexOfSeed(seed: Secret): string {
  return `0x${seed.use((bytes) => bytes.toString('hex'))}\n`;
}

/** Returns the base58 text that Solana wallets accept: 64 bytes, seed then public key. */
export function base58OfSeed(seed: Secret): string {
  return usePair(seed, (pair) => `${encodeBase58(pair)}\n`);
}

function seedOfBase58(text: string, { source, isSeed }: Reading): Secret {
  const bytes = base58Bytes(text);
  if (bytes?.length === PAIR_BYTES) return seedOfPair(bytes, source);
  if (bytes?.length !== SEED_BYTES) {
    throw invalid(source, t`it is neither JSON, nor a phrase, nor 64 bytes in base58`);
  }
  if (isSeed !== true) {
    bytes.fill(0);
    throw new ScripError(
      'WALLET_INVALID',
      t`${source} holds 32 bytes: either a key’s seed or an address`,
      { hint: t`If it is a seed, not an address, run the command again with --seed.` },
    );
  }
  return secretOf(bytes);
}

function base58Bytes(text: string): Buffer | undefined {
  try {
    return Buffer.from(decodeBase58(text));
  } catch {
    // The decoder's error would quote a character of the text.
    return undefined;
  }
}

/** Checks that the public key matches: a wrong one would show an address whose money this key cannot move. */
function seedOfPair(pair: Buffer, source: Said): Secret {
  const seed = secretOf(Buffer.from(pair.subarray(0, SEED_BYTES)));
  const isPair = usePair(seed, (own) => own.equals(pair));
  pair.fill(0);
  if (isPair) return seed;
  seed.wipe();
  throw invalid(source, t`its public half does not belong to its secret half`);
}

function usePair<T>(seed: Secret, work: (pair: Buffer) => T): T {
  return seed.use((bytes) => {
    const pair = Buffer.concat([bytes, decodeBase58(signerFromSeed(bytes).address)]);
    try {
      return work(pair);
    } finally {
      pair.fill(0);
    }
  });
}

/** Checks the words against the English list, and their checksum (BIP39). */
async function fromPhrase(words: readonly string[], reading: Reading): Promise<FoundKeys> {
  const { validateMnemonic } = await import('@scure/bip39');
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  const { source, phrasePassphrase, derivation = accountPath(0) } = reading;
  if (!PHRASE_LENGTHS.includes(words.length)) {
    throw invalid(
      source,
      t`${words.length} words are not a recovery phrase; it has 12, 15, 18, 21 or 24`,
    );
  }
  const known = new Set(wordlist);
  const lower = words.map((word) => word.normalize('NFKD').toLowerCase());
  const unknown = lower.findIndex((word) => !known.has(word));
  if (unknown !== -1) {
    throw invalid(source, t`word ${unknown + 1} of the phrase is not in the English list of BIP39`);
  }
  const phrase = lower.join(' ');
  if (!validateMnemonic(phrase, wordlist)) {
    throw invalid(source, t`the checksum of the phrase is wrong: a word is wrong or out of place`);
  }
  const keys = await keysOfPhrase(phrase, { derivation, passphrase: phrasePassphrase });
  return { keys, from: t`phrase, path ${pathText(derivation)}` };
}

/** Makes a recovery phrase of 12 words. @param entropy 16 random bytes */
export async function newPhrase(entropy: Uint8Array): Promise<string> {
  const { entropyToMnemonic } = await import('@scure/bip39');
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  return entropyToMnemonic(entropy, wordlist);
}

/**
 * Derives the keys of a phrase: for Solana by the derivation, and by the standard path of the same account
 * for EVM networks, if the derivation names an account.
 */
export async function keysOfPhrase(
  phrase: string,
  { derivation = accountPath(0), passphrase = '' }: PhraseUse = {},
): Promise<readonly StoredKey[]> {
  const salt = `mnemonic${passphrase.normalize('NFKD')}`;
  const seed = await promisify(pbkdf2)(phrase, salt, PHRASE_ROUNDS, PAIR_BYTES, 'sha512');
  const { deriveEvmSeed } = await import('./evm-key.ts');
  const account = accountOf(derivation);
  const evm = account === undefined ? [] : [await evmKey(secretOf(deriveEvmSeed(seed, account)))];
  const key = plainKey(secretOf(deriveSeed(seed, derivation)));
  seed.fill(0);
  return [key, ...evm];
}

interface PhraseUse {
  readonly derivation?: Derivation | undefined;
  readonly passphrase?: string | undefined;
}

/** BIP39. */
const PHRASE_ROUNDS = 2_048;

const FORMS = t`To import a key: scrip wallet import <file>. It reads Solana CLI JSON, 64 bytes in base58, a recovery phrase or an encrypted key file.`;

function invalid(source: Said, why: Message): ScripError {
  return new ScripError('WALLET_INVALID', t`The key in ${source} cannot be used: ${why}`, {
    hint: FORMS,
  });
}
