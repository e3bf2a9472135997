import { existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/message/message.ts';
import { verifySignature } from '../../src/rails/solana/ed25519.ts';
import { isSignedBy, statementBy } from '../../src/wallet/algorithm.ts';
import { createKeyFile, readKeyFile } from '../../src/wallet/key-file.ts';
import { createPassphrases, type SecretPlace } from '../../src/wallet/passphrase.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { jsonOfSeed } from '../../src/wallet/secret-text.ts';
import { createWallets, type WalletDeps } from '../../src/wallet/wallets.ts';
import { failureOf } from '../support/failure.ts';
import { manualClock, skippingClock } from '../support/manual-clock.ts';
import { newKey } from '../support/new-key.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PASSPHRASE = 'correct horse battery staple';
const IN_CLEAR = { isEncrypted: false, isWeakOk: false };
const ENCRYPTED = { isEncrypted: true, isWeakOk: false };

let dir: string;
let path: string;
beforeEach(() => {
  dir = tempFolder();
  path = join(dir, 'wallet.json');
});

/** Each passphrase is what the next question is answered with; the texts are what descriptors hold. */
function wallets(
  passphrases: readonly string[],
  {
    texts = {},
    ...more
  }: Partial<WalletDeps> & { readonly texts?: Readonly<Record<number, string>> } = {},
) {
  const left = [...passphrases];
  const questions: string[] = [];
  const readFd = async (fd: number) => Buffer.from(texts[fd] ?? '');
  const askHidden = async (question: Message) => {
    questions.push(String(question));
    return left.shift() ?? '';
  };
  const from = (place: SecretPlace) => createPassphrases({ place, readFd, askHidden });
  const opened = createWallets({
    passphrases: from({}),
    passphrasesAt: from,
    readFd,
    askHidden,
    cost: { N: 2 ** 14, p: 1 },
    random,
    clock: skippingClock(),
    signal: new AbortController().signal,
    ...more,
  });
  return { ...opened, questions };
}

/** Of the phrase at m/44'/60'/0'/0/0, as other wallets derive it. */
const EVM_ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

const twice = (text: string): readonly string[] => [text, text];

describe('an encrypted key file', () => {
  it('is made without the key being on disk in the clear', async () => {
    const { address } = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ v: 1, pub: address });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['wallet.evm.key', 'wallet.json']);
  });

  it('is not made with a weak passphrase, and nothing is left', async () => {
    const error = await failureOf(wallets(twice('short')).create(path, ENCRYPTED));
    expect(error.code).toBe('PASSPHRASE_WEAK');
    expect(readdirSync(dir)).toEqual([]);
  });

  it('tells its address unasked, and asks once before it signs', async () => {
    const { address } = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const { open, questions } = wallets([PASSPHRASE]);
    const signer = await open(path);
    expect({ address: signer.address, questions }).toEqual({ address, questions: [] });
    const message = Buffer.from('message');
    for (let time = 0; time < 2; time += 1) {
      expect(verifySignature(address, message, await signer.sign(message))).toBe(true);
    }
    expect(questions).toEqual([`Passphrase of ${path}: `]);
    expect(inspect(signer, { depth: 9, showHidden: true })).toContain('[secret]');
  });

  it('may be tried three times at a terminal, a second after each wrong one', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const clock = skippingClock();
    const startMs = clock.now();
    const { open, questions } = wallets(['wrong', 'wrong again', PASSPHRASE], { clock });
    const signer = await open(path);
    await signer.sign(Buffer.from('message'));
    expect(clock.now() - startMs).toBe(2_000);
    expect(questions[1]).toBe(`Wrong passphrase. Passphrase of ${path}: `);
  });

  it('is not opened by a third wrong one', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const { open, questions } = wallets(['a', 'b', 'c', PASSPHRASE]);
    const signer = await open(path);
    expect((await failureOf(signer.sign(Buffer.from('message')))).code).toBe('PASSPHRASE_WRONG');
    expect(questions).toHaveLength(3);
  });

  it('is tried once where nobody is asked', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const passphrases = createPassphrases({
      place: { fd: 3 },
      readFd: async () => Buffer.from('wrong'),
    });
    const clock = manualClock();
    const signer = await wallets([], { passphrases, clock }).open(path);
    expect((await failureOf(signer.sign(Buffer.from('message')))).code).toBe('PASSPHRASE_WRONG');
    expect(clock.sleepers()).toBe(0);
  });
});

describe('encrypting', () => {
  it('puts the same key under a passphrase, in its place', async () => {
    const { address } = await wallets([]).create(path, IN_CLEAR);
    expect(await wallets(twice(PASSPHRASE)).encrypt(path, { isWeakOk: false })).toBe(address);
    expect(readKeyFile(path)).toMatchObject({ kind: 'encrypted', address });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['wallet.evm.key', 'wallet.json']);
  });

  it('leaves the file as it is when the passphrases differ', async () => {
    await wallets([]).create(path, IN_CLEAR);
    const before = readFileSync(path);
    const differing = wallets([PASSPHRASE, 'correct horse battery stable']);
    expect((await failureOf(differing.encrypt(path, { isWeakOk: false }))).code).toBe(
      'INPUT_INVALID',
    );
    expect(readFileSync(path)).toEqual(before);
  });

  it('leaves no other name of the key in the clear, after a making that was cut short', async () => {
    await wallets([]).create(path, IN_CLEAR);
    linkSync(path, join(dir, '.0b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp'));
    await wallets(twice(PASSPHRASE)).encrypt(path, { isWeakOk: false });
    expect(readdirSync(dir)).toEqual(['wallet.evm.key', 'wallet.json']);
  });

  it('is done once', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const { hint } = await failureOf(wallets([]).encrypt(path, { isWeakOk: false }));
    expect(String(hint)).toBe('Run: scrip wallet change-passphrase');
  });
});

describe('changing the passphrase', () => {
  const change = (given: ReturnType<typeof wallets>, place: SecretPlace = {}) =>
    given.changePassphrase(path, { isWeakOk: false, place });

  it('keeps the key, and the passphrase from before opens it no more', async () => {
    const { address } = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const next = 'another passphrase';
    expect(await change(wallets([PASSPHRASE, ...twice(next)]))).toBe(address);
    expect((await wallets([next]).reveal(path, 'json')).address).toBe(address);
    const before = wallets([PASSPHRASE, PASSPHRASE, PASSPHRASE]);
    expect((await failureOf(before.reveal(path, 'json'))).code).toBe('PASSPHRASE_WRONG');
  });

  it('may read the new one from a place of its own', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const texts = { 4: 'from a descriptor\n' };
    await change(wallets([PASSPHRASE], { texts }), { fd: 4 });
    expect((await wallets(['from a descriptor']).reveal(path, 'json')).text).toMatch(/^\[/);
  });

  it('is not done by who does not know it', async () => {
    await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    const before = readFileSync(path);
    const given = wallets(['a', 'b', 'c', ...twice('another passphrase')]);
    expect((await failureOf(change(given))).code).toBe('PASSPHRASE_WRONG');
    expect(readFileSync(path)).toEqual(before);
  });

  it('of a file in the clear says to encrypt it', async () => {
    await wallets([]).create(path, IN_CLEAR);
    expect(String((await failureOf(change(wallets([])))).hint)).toBe('Run: scrip wallet encrypt');
  });
});

describe('importing', () => {
  const request = { ...IN_CLEAR, place: {}, isSeed: false };
  const phrase = `${'abandon '.repeat(11)}about`;
  const address = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';

  it('reads a file, a descriptor, or what is typed', async () => {
    writeFileSync(join(dir, 'phrase.txt'), phrase, { mode: 0o600 });
    const places: readonly SecretPlace[] = [
      { file: join(dir, 'phrase.txt') },
      { fd: 5 },
      { file: '-' },
      {},
    ];
    for (const [at, place] of places.entries()) {
      const to = join(dir, `${at}.json`);
      const given = wallets([phrase], { texts: { 0: phrase, 5: phrase } });
      const imported = await given.import(to, { ...request, place });
      expect(imported).toEqual({
        address,
        evmAddress: EVM_ADDRESS,
        from: "phrase, path m/44'/501'/0'/0'",
        isEncrypted: false,
      });
      expect(readKeyFile(to).address).toBe(address);
    }
  });

  it('may encrypt at once', async () => {
    const given = wallets([phrase, ...twice(PASSPHRASE)]);
    expect((await given.import(path, { ...request, isEncrypted: true })).isEncrypted).toBe(true);
    expect(readFileSync(path, 'utf8')).not.toContain('abandon');
    expect(readKeyFile(path)).toMatchObject({ kind: 'encrypted', address });
  });

  it('takes an encrypted file as it is, without its passphrase', async () => {
    const from = join(dir, 'from.json');
    await wallets(twice(PASSPHRASE)).create(from, ENCRYPTED);
    const imported = await wallets([]).import(path, { ...request, place: { file: from } });
    expect(imported).toMatchObject({ from: 'keystore', isEncrypted: true });
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(from, 'utf8'));
  });

  it('reads the passphrase of the phrase from a file', async () => {
    const phrasePassphraseFile = join(dir, 'words');
    writeFileSync(phrasePassphraseFile, 'TREZOR\n', { mode: 0o600 });
    const imported = await wallets([phrase]).import(path, { ...request, phrasePassphraseFile });
    expect(imported.address).not.toBe(address);
  });

  it('never replaces a file', async () => {
    writeFileSync(path, 'precious');
    const failure = await failureOf(wallets([phrase]).import(path, request));
    expect(failure.code).toBe('WALLET_EXISTS');
    expect(String(failure.hint)).toContain('--keypair <new file>');
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  it('says to name a file where nobody can be asked', async () => {
    const given = wallets([], { askHidden: undefined });
    expect((await failureOf(given.import(path, request))).code).toBe('TERMINAL_REQUIRED');
    expect(existsSync(path)).toBe(false);
  });
});

describe('a signer command in place of a key file', () => {
  const signer = { address: 'A', sign: async () => new Uint8Array(64) };
  const external = async () => signer;

  it('is what pays, whatever file there is', async () => {
    createKeyFile(path, newKey());
    expect(await wallets([], { external }).open(path)).toBe(signer);
  });

  it('has no file to make, to protect or to hand out', async () => {
    const given = wallets([], { external });
    const works = [
      () => given.create(path, IN_CLEAR),
      () => given.import(path, { ...IN_CLEAR, place: {}, isSeed: false }),
      () => given.encrypt(path, { isWeakOk: false }),
      () => given.changePassphrase(path, { isWeakOk: false, place: {} }),
      () => given.reveal(path, 'json'),
    ];
    for (const work of works) expect((await failureOf(work())).code).toBe('USAGE');
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('a key for EVM networks', () => {
  const SECRET = `0x${'7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'}`;
  const HEX = { place: { fd: 5 }, isSeed: false, isEncrypted: false, isWeakOk: false };
  const importing = (text = SECRET) => wallets([], { texts: { 5: text } });

  it('is made with the first one, from one phrase that a file may keep', async () => {
    const phraseFile = join(dir, 'phrase.txt');
    const made = await wallets([]).create(path, { ...IN_CLEAR, phraseFile });
    expect(statSync(phraseFile).mode & 0o777).toBe(0o600);
    const to = join(dir, 'again.json');
    const again = await wallets([]).import(to, { ...HEX, place: { file: phraseFile } });
    expect(again).toMatchObject({ address: made.address, evmAddress: made.evmAddress });
    expect(await wallets([]).namespaces(path)).toEqual(['solana', 'eip155']);
    expect((await wallets([]).openOn(path, 'eip155')).address).toBe(made.evmAddress);
  });

  it('may be the only one, and is added to another', async () => {
    const { evmAddress, address } = await importing().import(path, HEX);
    expect(address).toBe(evmAddress);
    expect((await wallets([]).open(path)).address).toBe(evmAddress);
    expect(await wallets([]).namespaces(path)).toEqual(['eip155']);
    const failure = await failureOf(wallets([]).openOn(path, 'solana'));
    expect(failure.code).toBe('WALLET_MISSING');
    expect((await failureOf(importing().import(path, HEX))).code).toBe('WALLET_EXISTS');
    const { code, hint } = await failureOf(wallets([]).create(path, IN_CLEAR));
    expect([code, String(hint)]).toEqual([
      'WALLET_EXISTS',
      expect.stringContaining('only a key for Base'),
    ]);
    // A new first key would give the wallet another name, under which its records are not found.
    const solana = importing(jsonOfSeed(secretOf(Buffer.alloc(32, 7))));
    expect((await failureOf(solana.import(path, HEX))).code).toBe('WALLET_EXISTS');
    expect((await wallets([]).reveal(path, 'hex')).text).toBe(`${SECRET}\n`);
  });

  it('is encrypted and opened with the passphrase of the first one', async () => {
    const { evmAddress } = await wallets([]).create(path, IN_CLEAR);
    await wallets(twice(PASSPHRASE)).encrypt(path, { isWeakOk: false });
    const signer = await wallets([PASSPHRASE]).openOn(path, 'eip155');
    expect(signer.address).toBe(evmAddress);
    const message = await statementBy(signer.address, 'a text');
    expect(await isSignedBy(signer.address, message, await signer.sign(message))).toBe(true);
  });

  it.each(['scrypt', 'pbkdf2'] as const)(
    'is read from a keystore of other wallets: %s',
    async (kdf) => {
      const text = JSON.stringify({ version: 3, crypto: SECRET_STORAGE[kdf] });
      const opened = wallets(['testpassword'], { texts: { 5: text } });
      await opened.import(path, HEX);
      expect((await wallets([]).reveal(path, 'hex')).text).toBe(`${SECRET}\n`);
      const wrong = wallets(['another one'], { texts: { 5: text } });
      const other = join(dir, 'other.json');
      expect((await failureOf(wrong.import(other, HEX))).code).toBe('PASSPHRASE_WRONG');
    },
  );
});

/** As ethers 6 writes it at geth's light cost, and the test vector of Web3 Secret Storage, version 3. */
const SECRET_STORAGE = {
  scrypt: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '3b357e9cdb4647f991f5cf75370cd2e0' },
    ciphertext: '4b5ca2ab054263b233857f1890b0ee041be699c5a55a5ba3551d5c5d0c3eb7ba',
    kdf: 'scrypt',
    kdfparams: {
      ...{ n: 4_096, dklen: 32, p: 6, r: 8 },
      salt: '96fbf23e2da9b8af7443b96b218fd918b4ce45fc4c95e8ff3ad2285ba64ce4c3',
    },
    mac: '1bfc388d79d14f09bccfdb44b24b59bf0e45b0913d8e67b99b03fc58befb7056',
  },
  pbkdf2: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      ...{ c: 262_144, dklen: 32, prf: 'hmac-sha256' },
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
};
