import { existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/message/message.ts';
import { verifySignature } from '../../src/rails/solana/ed25519.ts';
import { createKeyFile, newKey, readKeyFile } from '../../src/wallet/key-file.ts';
import { createPassphrases, type SecretPlace } from '../../src/wallet/passphrase.ts';
import { createWallets, type WalletDeps } from '../../src/wallet/wallets.ts';
import { failureOf } from '../support/failure.ts';
import { manualClock, skippingClock } from '../support/manual-clock.ts';
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

const twice = (text: string): readonly string[] => [text, text];

describe('an encrypted key file', () => {
  it('is made without the key being on disk in the clear', async () => {
    const address = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ v: 1, pub: address });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['wallet.json']);
  });

  it('is not made with a weak passphrase, and nothing is left', async () => {
    const error = await failureOf(wallets(twice('short')).create(path, ENCRYPTED));
    expect(error.code).toBe('PASSPHRASE_WEAK');
    expect(readdirSync(dir)).toEqual([]);
  });

  it('tells its address unasked, and asks once before it signs', async () => {
    const address = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
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
    const address = await wallets([]).create(path, IN_CLEAR);
    expect(await wallets(twice(PASSPHRASE)).encrypt(path, { isWeakOk: false })).toBe(address);
    expect(readKeyFile(path)).toMatchObject({ kind: 'encrypted', address });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['wallet.json']);
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
    expect(readdirSync(dir)).toEqual(['wallet.json']);
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
    const address = await wallets(twice(PASSPHRASE)).create(path, ENCRYPTED);
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
