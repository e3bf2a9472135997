import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { keystoreText, openSeed, parseKeystore, sealSeed } from '../../src/wallet/keystore.ts';
import { type Secret, secretOf } from '../../src/wallet/secret.ts';
import { failureOf, thrownBy } from '../support/failure.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { random } from '../support/random.ts';
// Made by another implementation (Python's hashlib and cryptography) from docs/use/wallet.md.
import vectors from './vectors/keystore-v1.json' with { type: 'json' };

const CHEAP = { N: 2 ** 14, p: 1 };
const PASSPHRASE = 'correct horse battery staple';
const SEED = new Uint8Array(32).fill(9);

const secret = (text: string): Secret => secretOf(Buffer.from(text.normalize('NFKC')));
const seedOf = (bytes: Uint8Array): Secret => secretOf(Buffer.from(bytes));
const hexOf = (seed: Secret): string => seed.use((bytes) => bytes.toString('hex'));

describe('keystore version 1', () => {
  it.each(vectors)('opens what another implementation wrote: $name', async (vector) => {
    const store = parseKeystore(JSON.stringify(vector.keystore), 'vector');
    expect(hexOf(await openSeed(store, secret(vector.passphrase)))).toBe(vector.seed);
  });

  it.each(vectors)('writes what another implementation wrote: $name', async (vector) => {
    const { kdf, cipher } = vector.keystore;
    const given = [kdf.salt, cipher.nonce].map((text) => Buffer.from(text, 'base64'));
    const pair = {
      seed: seedOf(Buffer.from(vector.seed, 'hex')),
      passphrase: secret(vector.passphrase),
    };
    const store = await sealSeed(pair, () => given.shift() ?? Buffer.alloc(0), kdf);
    expect(JSON.parse(keystoreText(store))).toEqual(vector.keystore);
  });

  it('costs 128 MiB of memory unless told otherwise', async () => {
    const store = await sealSeed({ seed: seedOf(SEED), passphrase: secret(PASSPHRASE) }, random);
    expect(store.kdf).toMatchObject({ name: 'scrypt', N: 131_072, r: 8, p: 1 });
    expect(128 * store.kdf.N * store.kdf.r).toBe(128 * 2 ** 20);
  });

  it('never seals one seed alike twice, and shows nothing of it', async () => {
    const seal = () =>
      sealSeed({ seed: seedOf(SEED), passphrase: secret(PASSPHRASE) }, random, CHEAP);
    const [one, other] = [await seal(), await seal()];
    expect(one.ct).not.toBe(other.ct);
    expect(one.kdf.salt).not.toBe(other.kdf.salt);
    expect(one.cipher.nonce).not.toBe(other.cipher.nonce);
    expect(Buffer.from(one.ct, 'base64').includes(Buffer.from(SEED))).toBe(false);
  });

  it('opens with no other passphrase', async () => {
    const store = await sealSeed(
      { seed: seedOf(SEED), passphrase: secret(PASSPHRASE) },
      random,
      CHEAP,
    );
    for (const wrong of ['', PASSPHRASE.slice(1), PASSPHRASE.toUpperCase(), `${PASSPHRASE} `]) {
      expect((await failureOf(openSeed(store, secret(wrong)))).code).toBe('PASSPHRASE_WRONG');
    }
  });

  it('does not open with another key in it than it names', async () => {
    const seeds = [new Uint8Array(32).fill(8), SEED];
    const two: Secret = {
      ...seedOf(SEED),
      use: (work) => work(Buffer.from(seeds.shift() ?? SEED)),
    };
    const store = await sealSeed({ seed: two, passphrase: secret(PASSPHRASE) }, random, CHEAP);
    expect((await failureOf(openSeed(store, secret(PASSPHRASE)))).code).toBe('WALLET_INVALID');
  });

  it('opens with the same passphrase typed on another keyboard', async () => {
    const passphrase = secret('Ame\u0301lie \uFB01nance');
    const store = await sealSeed({ seed: seedOf(SEED), passphrase }, random, CHEAP);
    expect(hexOf(await openSeed(store, secret('Am\u00e9lie finance')))).toBe(
      Buffer.from(SEED).toString('hex'),
    );
  });
});

/** The cheap vector, as a value that tests may spoil. */
function fresh() {
  const vector = vectors[1];
  if (vector === undefined) throw new Error('the vectors should hold a cheap one');
  return { passphrase: vector.passphrase, store: structuredClone(vector.keystore) };
}

type Store = ReturnType<typeof fresh>['store'];
type Loose = Record<string, unknown>;

function with_(field: string, value: unknown): (store: Store) => unknown {
  return (store) => {
    const [outer = '', inner] = field.split('.');
    const copy: Loose = { ...store };
    if (inner === undefined) return { ...copy, [outer]: value };
    return { ...copy, [outer]: { ...(copy[outer] as Loose), [inner]: value } };
  };
}

function without(field: string): (store: Store) => unknown {
  return (store) => {
    const [outer = '', inner] = field.split('.');
    const copy: Loose = structuredClone(store);
    if (inner === undefined) delete copy[outer];
    else delete (copy[outer] as Loose)[inner];
    return copy;
  };
}

function flipped(text: string, at: number): string {
  const bytes = Buffer.from(text, 'base64');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64');
}

const FIELDS = ['v', 'type', 'alg', 'pub', 'kdf', 'cipher', 'ct'];
const INNER = ['kdf.name', 'kdf.N', 'kdf.r', 'kdf.p', 'kdf.salt', 'cipher.name', 'cipher.nonce'];
const OTHER_PUB = signerFromSeed(SEED).address;

/** Refused by its form, before any work is done for it. */
const MALFORMED: readonly (readonly [what: string, spoil: (store: Store) => unknown])[] = [
  ...[...FIELDS, ...INNER].map((field) => [`no ${field}`, without(field)] as const),
  ...[...FIELDS, ...INNER].map((field) => [`null for ${field}`, with_(field, null)] as const),
  ['an unknown field', with_('hint', 'x')],
  ['an unknown field of kdf', with_('kdf.cost', 1)],
  ['an unknown field of cipher', with_('cipher.aad', '')],
  [
    'a prototype among its fields',
    (store) => JSON.parse(`{"__proto__":{},${JSON.stringify(store).slice(1)}`),
  ],
  ['version 2', with_('v', 2)],
  ['version "1"', with_('v', '1')],
  ['another type', with_('type', 'scrip-journal')],
  ['another curve', with_('alg', 'secp256k1')],
  ['another derivation', with_('kdf.name', 'pbkdf2')],
  ['another cipher', with_('cipher.name', 'aes-256-ctr')],
  ...[0, 1, 2, 2 ** 13, 2 ** 14 + 1, 3 * 2 ** 13, 2 ** 21, 2 ** 30, 2 ** 40, -16_384].map(
    (N) => [`N of ${N}`, with_('kdf.N', N)] as const,
  ),
  ['N in text', with_('kdf.N', '16384')],
  ['N that is no integer', with_('kdf.N', 16_384.5)],
  ...[0, 1, 7, 9, 16, 2 ** 20].map((r) => [`r of ${r}`, with_('kdf.r', r)] as const),
  ...[0, -1, 5, 16, 2 ** 30, 1.5].map((p) => [`p of ${p}`, with_('kdf.p', p)] as const),
  ['a short salt', with_('kdf.salt', Buffer.alloc(31).toString('base64'))],
  ['a long salt', with_('kdf.salt', Buffer.alloc(33).toString('base64'))],
  ['a salt in the other alphabet', with_('kdf.salt', Buffer.alloc(32, 0xff).toString('base64url'))],
  ['a salt with a line break', (store) => with_('kdf.salt', `${store.kdf.salt}\n`)(store)],
  ['a short nonce', with_('cipher.nonce', Buffer.alloc(11).toString('base64'))],
  ['a long nonce', with_('cipher.nonce', Buffer.alloc(16).toString('base64'))],
  ['a short ciphertext', with_('ct', Buffer.alloc(47).toString('base64'))],
  ['a ciphertext without a tag', with_('ct', Buffer.alloc(32).toString('base64'))],
  ['a long ciphertext', with_('ct', Buffer.alloc(64).toString('base64'))],
  ['no ciphertext', with_('ct', '')],
  ['an address of 31 bytes', with_('pub', encodeBase58(new Uint8Array(31).fill(1)))],
  ['an address that is none', with_('pub', '0OIl')],
  ['an array in its place', () => []],
  ['a text in its place', () => 'keystore'],
];

/** Well formed, and not what was sealed. */
const CHANGED: readonly (readonly [what: string, spoil: (store: Store) => unknown])[] = [
  ['another address', with_('pub', OTHER_PUB)],
  ['a higher N', with_('kdf.N', 2 ** 15)],
  ['a higher p', with_('kdf.p', 2)],
  ...[0, 15, 31].map(
    (at) =>
      [
        `a bit of the salt, byte ${at}`,
        (store: Store) => with_('kdf.salt', flipped(store.kdf.salt, at))(store),
      ] as const,
  ),
  ...[0, 11].map(
    (at) =>
      [
        `a bit of the nonce, byte ${at}`,
        (store: Store) => with_('cipher.nonce', flipped(store.cipher.nonce, at))(store),
      ] as const,
  ),
  ...[0, 16, 31, 32, 40, 47].map(
    (at) =>
      [
        `a bit of the ciphertext, byte ${at}`,
        (store: Store) => with_('ct', flipped(store.ct, at))(store),
      ] as const,
  ),
];

describe('a keystore that was tampered with', () => {
  it('is tried in more than 60 ways', () => {
    expect(MALFORMED.length + CHANGED.length).toBeGreaterThan(75);
  });

  it.each(MALFORMED)('is refused unopened: %s', (_what, spoil) => {
    const text = JSON.stringify(spoil(fresh().store));
    expect(thrownBy(() => parseKeystore(text, 'k.json')).code).toBe('WALLET_INVALID');
  });

  it.each(CHANGED)('does not open: %s', async (_what, spoil) => {
    const { store, passphrase } = fresh();
    const spoilt = parseKeystore(JSON.stringify(spoil(store)), 'k.json');
    expect((await failureOf(openSeed(spoilt, secret(passphrase)))).code).toBe('PASSPHRASE_WRONG');
  });

  it('whatever its text is, only a ScripError escapes, and it quotes nothing of it', () => {
    const { store } = fresh();
    const field = fc.oneof(fc.jsonValue(), fc.base64String(), fc.integer());
    const near = fc
      .tuple(fc.constantFrom(...FIELDS, ...INNER), field)
      .map(([name, value]) => JSON.stringify(with_(name, value)(store)));
    const cut = fc
      .tuple(fc.nat({ max: 400 }), fc.string({ maxLength: 3 }))
      .map(([at, text]) => JSON.stringify(store).slice(0, at) + text);
    const runs = fc.oneof(fc.string(), fc.json(), near, cut);
    fc.assert(
      fc.property(runs, (text) => {
        try {
          // What is read is within the bounds, whoever wrote it.
          const { kdf } = parseKeystore(text, 'k.json');
          expect(kdf.N * kdf.p).toBeLessThanOrEqual(2 ** 22);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
          expect(`${error}`).not.toContain(store.ct);
        }
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});
