import { generateMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { looksLikeSecret } from '../../src/domain/secret-word.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { accountPath, deriveSeed, parsePath } from '../../src/wallet/derivation.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import {
  base58OfSeed,
  jsonOfSeed,
  type Reading,
  readSecretText,
} from '../../src/wallet/secret-text.ts';
import { failureOf } from '../support/failure.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import vectors from './vectors/keystore-v1.json' with { type: 'json' };

const WELL_KNOWN = `${'abandon '.repeat(11)}about`;
const SOURCE = { source: 'key.txt', passphrase: () => Promise.reject(new Error('not asked')) };

/** The address of the key that a text holds. */
async function addressOf(text: string, reading: Partial<Reading> = {}): Promise<string> {
  return (await readSecretText(text, { ...SOURCE, ...reading })).keys[0]?.address ?? '';
}

describe('a key of the Solana CLI', () => {
  const keypair = Keypair.generate();
  const address = keypair.publicKey.toBase58();

  it('is read from JSON', async () => {
    expect(await addressOf(JSON.stringify([...keypair.secretKey]))).toBe(address);
    expect(await addressOf(` [${[...keypair.secretKey].join(',\n ')}]\n`)).toBe(address);
  });

  it('is read from base58', async () => {
    expect(await addressOf(`${encodeBase58(keypair.secretKey)}\n`)).toBe(address);
  });

  it('is read from its seed in base58, when that is said', async () => {
    const text = encodeBase58(keypair.secretKey.subarray(0, 32));
    expect(await addressOf(text, { isSeed: true })).toBe(address);
  });

  it('is not taken from an address by mistake', async () => {
    const { code, hint } = await failureOf(addressOf(address));
    expect({ code, hint }).toEqual({
      code: 'WALLET_INVALID',
      hint: expect.stringContaining('--seed'),
    });
  });

  it('goes out in the forms that it comes in', async () => {
    const seed = () => secretOf(Buffer.from(keypair.secretKey.subarray(0, 32)));
    expect(JSON.parse(jsonOfSeed(seed()))).toEqual([...keypair.secretKey]);
    expect(
      Keypair.fromSecretKey(Uint8Array.from(JSON.parse(jsonOfSeed(seed())))).publicKey.toBase58(),
    ).toBe(address);
    expect(base58OfSeed(seed())).toBe(`${encodeBase58(keypair.secretKey)}\n`);
  });

  it.each([
    [
      'halves that do not belong together',
      () =>
        encodeBase58(
          Uint8Array.from([...keypair.secretKey.subarray(0, 63), (keypair.secretKey[63] ?? 0) ^ 1]),
        ),
    ],
    ['63 bytes', () => encodeBase58(keypair.secretKey.subarray(0, 63))],
    ['65 bytes', () => encodeBase58(Uint8Array.from([...keypair.secretKey, 1]))],
    ['a character that is not base58', () => `${encodeBase58(keypair.secretKey).slice(1)}0`],
    ['a JSON array of 63', () => JSON.stringify([...keypair.secretKey].slice(1))],
    ['a JSON array with 256', () => JSON.stringify([...keypair.secretKey].map(() => 256))],
    ['a JSON array that is cut', () => JSON.stringify([...keypair.secretKey]).slice(0, 40)],
    ['nothing', () => ''],
  ])('is refused with %s, and not quoted', async (_what, text) => {
    const { code, message, hint } = await failureOf(addressOf(text()));
    expect(code).toBe('WALLET_INVALID');
    if (text() !== '') expect(message + hint).not.toContain(text().slice(4, 12));
  });
});

describe('a recovery phrase', () => {
  /** Published with many wallets. */
  it('gives the address that wallets for Solana show', async () => {
    expect(await addressOf(WELL_KNOWN)).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  });

  it('gives the address of solana-keygen when nothing is derived', async () => {
    const seed = mnemonicToSeedSync(WELL_KNOWN).subarray(0, 32);
    expect(await addressOf(WELL_KNOWN, { derivation: { kind: 'none' } })).toBe(
      Keypair.fromSeed(seed).publicKey.toBase58(),
    );
  });

  it.each([
    ['another account', { derivation: accountPath(1) }, accountPath(1), undefined],
    ['another path', { derivation: parsePath("m/44'/501'") }, parsePath("m/44'/501'"), undefined],
    ['a passphrase of its own', { phrasePassphrase: 'TREZOR' }, accountPath(0), 'TREZOR'],
  ])('gives the key of %s', async (_what, reading, derivation, passphrase) => {
    const seed = deriveSeed(mnemonicToSeedSync(WELL_KNOWN, passphrase), derivation);
    const expected = Keypair.fromSeed(seed).publicKey.toBase58();
    expect(await addressOf(WELL_KNOWN, reading)).toBe(expected);
    expect(expected).not.toBe(await addressOf(WELL_KNOWN));
  });

  it.each([128, 160, 192, 224, 256])('of %d bits is read', async (bits) => {
    const phrase = generateMnemonic(wordlist, bits);
    const seed = deriveSeed(mnemonicToSeedSync(phrase), accountPath(0));
    expect(await addressOf(phrase)).toBe(Keypair.fromSeed(seed).publicKey.toBase58());
  });

  it('may be written in capitals, over lines, with spaces to spare', async () => {
    const untidy = ` ${WELL_KNOWN.toUpperCase().replaceAll(' ', '\n\t ')}\r\n`;
    expect(await addressOf(untidy)).toBe(await addressOf(WELL_KNOWN));
  });

  it.each([
    ['a word that is not in the list', WELL_KNOWN.replace('about', 'aboot'), /word 12 /],
    ['a wrong checksum', WELL_KNOWN.replace('about', 'zoo'), /checksum/],
    ['words out of place', WELL_KNOWN.split(' ').reverse().join(' '), /checksum/],
    ['11 words', WELL_KNOWN.split(' ').slice(1).join(' '), /11 words/],
    ['13 words', `abandon ${WELL_KNOWN}`, /13 words/],
    ['2 words', 'hello world', /2 words/],
    [
      'numbers',
      WELL_KNOWN.split(' ')
        .map((word, at) => `${at + 1}. ${word}`)
        .join('\n'),
      /numbered/,
    ],
    ['hexadecimal', `0x${'ab'.repeat(64)}`, /hexadecimal/],
    ['nothing', '\n', /empty/],
    ['no brackets', Array(64).fill(1).join(', '), /brackets/],
  ])('is refused with %s, and not quoted', async (_what, phrase, expected) => {
    const { code, message } = await failureOf(addressOf(phrase));
    expect(code).toBe('WALLET_INVALID');
    expect(message).toMatch(expected);
    for (const word of ['abandon', 'aboot', 'zoo', 'hello']) expect(message).not.toContain(word);
  });
});

describe('an encrypted key file', () => {
  it('is taken as it is', async () => {
    const [vector] = vectors;
    expect(await addressOf(JSON.stringify(vector?.keystore))).toBe(vector?.keystore.pub);
  });
});

describe('whatever is read', () => {
  it('only a ScripError escapes', async () => {
    const word = fc.constantFrom(...wordlist.slice(0, 20));
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array({ maxLength: 70 }).map(encodeBase58),
      fc.array(word, { maxLength: 25 }).map((words) => words.join(' ')),
      fc
        .array(fc.integer({ min: -1, max: 256 }), { maxLength: 66 })
        .map((list) => JSON.stringify(list)),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (text, isSeed) => {
        const result = await readSecretText(text, { ...SOURCE, isSeed }).catch((error) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(ScripError);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});

describe('a word of the command line', () => {
  const keypair = Keypair.generate();
  it.each([
    ['a key in base58', encodeBase58(keypair.secretKey), true],
    ['a seed in base58', encodeBase58(keypair.secretKey.subarray(0, 32)), true],
    ['a phrase', WELL_KNOWN, true],
    ['a phrase in capitals', WELL_KNOWN.toUpperCase(), true],
    ['a key in JSON', JSON.stringify([...keypair.secretKey]), true],
    ['a file', '~/.config/solana/id.json', false],
    ['standard input', '-', false],
    ['a file with a long name', `./${encodeBase58(keypair.secretKey)}`, false],
    [
      'a file with spaces',
      'my key of the shop that I have in the other folder on my old disk.json',
      false,
    ],
  ])('that is %s is seen for what it is', (_what, word, expected) => {
    expect(looksLikeSecret(word)).toBe(expected);
  });
});
