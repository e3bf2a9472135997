import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Signer } from '../../src/rails/rail.ts';
import { verifySignature } from '../../src/rails/solana/ed25519.ts';
import { createKeyFile, readKeyFile, signerOf, unlock } from '../../src/wallet/key-file.ts';
import { sealSeed } from '../../src/wallet/keystore.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { thrownBy } from '../support/failure.ts';
import { newKey } from '../support/new-key.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const at = (name: string) => join(dir, name);
const bytesOf = (path: string): number[] => JSON.parse(readFileSync(path, 'utf8'));

function makeKeyFile(path: string): string {
  const key = newKey();
  createKeyFile(path, key);
  return key.address;
}

function openKeyFile(path: string): Signer {
  const key = readKeyFile(path);
  if (key.kind === 'encrypted') throw new Error(`${path} should be in the clear`);
  return signerOf(key.seed);
}

describe('a key file of another form', () => {
  const written = (text: string): string => {
    writeFileSync(at('id'), text, { mode: 0o600 });
    return at('id');
  };

  it('may begin with a byte order mark', () => {
    const address = makeKeyFile(at('wallet.json'));
    const path = written(`\uFEFF${readFileSync(at('wallet.json'), 'utf8')}`);
    expect(openKeyFile(path).address).toBe(address);
  });

  it.each([
    ['a phrase', `${'abandon '.repeat(11)}about`, /not a JSON array/, /scrip wallet import /],
    ['hexadecimal', 'ab'.repeat(64), /hexadecimal/, /wallet import <file>\. It reads .*base58/],
    ['nothing', ' \n', /empty/, /wallet import <file>/],
    ['UTF-16', '[\u{0}1\u{0}', /save it in UTF-8/, /wallet import <file>/],
    ['numbers without brackets', Array(64).fill(1).join(','), /brackets/, /./],
    ['a numbered phrase', '1. abandon 2. about', /numbered/, /./],
  ])('with %s is refused by its name', (_what, text, message, hint) => {
    const read = () => readKeyFile(written(text));
    expect(read).toThrow(message);
    expect(String(thrownBy(read).hint)).toMatch(hint);
  });
});

describe('a new key', () => {
  it('is in the Solana CLI’s format, the owner’s alone, and opens as itself', async () => {
    const address = makeKeyFile(at('keys/wallet.json'));
    expect(bytesOf(at('keys/wallet.json'))).toHaveLength(64);
    expect(statSync(at('keys/wallet.json')).mode & 0o777).toBe(0o600);
    expect(statSync(at('keys')).mode & 0o777).toBe(0o700);
    expect(readdirSync(at('keys'))).toEqual(['wallet.json']);

    const signer = openKeyFile(at('keys/wallet.json'));
    expect(signer.address).toBe(address);
    const message = Buffer.from('message');
    expect(verifySignature(address, message, await signer.sign(message))).toBe(true);
  });

  it('never replaces a file', () => {
    writeFileSync(at('wallet.json'), 'precious');
    expect(thrownBy(() => makeKeyFile(at('wallet.json'))).code).toBe('WALLET_EXISTS');
    expect(readFileSync(at('wallet.json'), 'utf8')).toBe('precious');
    expect(readdirSync(dir)).toEqual(['wallet.json']);
  });

  it('does not show its secret when printed', () => {
    makeKeyFile(at('wallet.json'));
    const signer = openKeyFile(at('wallet.json'));
    const shown = inspect(signer, { depth: 9, showHidden: true }) + JSON.stringify(signer);
    expect(shown).toContain('[secret]');
    expect(shown).not.toContain(bytesOf(at('wallet.json')).slice(0, 4).join(', '));
  });

  it('in a folder that cannot be made is refused', () => {
    writeFileSync(at('file'), '');
    expect(thrownBy(() => makeKeyFile(at('file/wallet.json'))).code).toBe('WALLET_UNSAFE');
  });
});

describe('a making that was cut short', () => {
  const LEFTOVER = '.0b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp';

  it('between its two steps is tidied up by the next command', () => {
    const address = makeKeyFile(at('wallet.json'));
    linkSync(at('wallet.json'), at(LEFTOVER));
    expect(openKeyFile(at('wallet.json')).address).toBe(address);
    expect(readdirSync(dir)).toEqual(['wallet.json']);
  });

  it('is told from a second name that is not ours', () => {
    makeKeyFile(at('wallet.json'));
    linkSync(at('wallet.json'), at(LEFTOVER));
    linkSync(at('wallet.json'), at('.backup.tmp'));
    expect(thrownBy(() => openKeyFile(at('wallet.json'))).code).toBe('WALLET_UNSAFE');
    expect(readdirSync(dir)).toEqual(['.backup.tmp', 'wallet.json']);
  });

  it('of another file is left alone', () => {
    makeKeyFile(at('wallet.json'));
    linkSync(at('wallet.json'), at('second.json'));
    writeFileSync(at(LEFTOVER), 'of another command');
    expect(thrownBy(() => openKeyFile(at('wallet.json'))).code).toBe('WALLET_UNSAFE');
    expect(readFileSync(at(LEFTOVER), 'utf8')).toBe('of another command');
  });

  it('before the file had its name is tidied up by the next making, once it is old', () => {
    makeKeyFile(at('first.json'));
    writeFileSync(at(LEFTOVER), 'a key');
    makeKeyFile(at('second.json'));
    expect(readdirSync(dir)).toContain(LEFTOVER);
    utimesSync(at(LEFTOVER), 1, 1);
    makeKeyFile(at('third.json'));
    expect(readdirSync(dir)).toEqual(['first.json', 'second.json', 'third.json']);
  });

  it('is not tidied up in a folder that others may write to', () => {
    makeKeyFile(at('wallet.json'));
    linkSync(at('wallet.json'), at(LEFTOVER));
    chmodSync(dir, 0o777);
    expect(thrownBy(() => openKeyFile(at('wallet.json'))).code).toBe('WALLET_UNSAFE');
    expect(readdirSync(dir)).toContain(LEFTOVER);
  });
});

describe('opening refuses', () => {
  const WALLET = () => at('wallet.json');
  const holds = (text: string) => () => writeFileSync(WALLET(), text);
  const instead = (make: () => unknown) => () => {
    rmSync(WALLET());
    make();
  };

  type Refused = readonly [what: string, code: string, spoil: () => void, hint: RegExp];
  // Only root can give a file away.
  const OF_ANOTHER: Refused = [
    ...(['a file of another user', 'WALLET_UNSAFE'] as const),
    () => chownSync(WALLET(), 12_345, 0),
    /sudo chown/,
  ];
  it.each<Refused>([
    ['a file that is not there', 'WALLET_MISSING', () => rmSync(WALLET()), /./],
    ...[0o640, 0o604, 0o660, 0o606, 0o610, 0o601, 0o620, 0o602, 0o677, 0o777, 0o444].map(
      (mode): Refused => [
        `the mode ${mode.toString(8)}`,
        'WALLET_UNSAFE',
        () => chmodSync(WALLET(), mode),
        /^Run: chmod 600 \/.*wallet\.json$/,
      ],
    ),
    [
      'a link to a good file',
      'WALLET_UNSAFE',
      instead(() => {
        makeKeyFile(at('real.json'));
        symlinkSync(at('real.json'), WALLET());
      }),
      /that the link points to/,
    ],
    [
      'a second name',
      'WALLET_UNSAFE',
      () => linkSync(WALLET(), at('2.json')),
      /find \/ -xdev -samefile/,
    ],
    [
      'a folder in its place',
      'WALLET_UNSAFE',
      instead(() => mkdirSync(WALLET(), { mode: 0o700 })),
      /regular file/,
    ],
    [
      'a pipe in its place, without waiting for it',
      'WALLET_UNSAFE',
      instead(() => spawnSync('mkfifo', ['-m', '600', WALLET()])),
      /regular file/,
    ],
    [
      'a folder that others may write to',
      'WALLET_UNSAFE',
      () => chmodSync(dir, 0o777),
      /^Run: chmod go-w \/.*$/,
    ],
    ['more bytes than a key has', 'WALLET_INVALID', holds(`[${'1,'.repeat(3_000)}1]`), /./],
    ['an empty file', 'WALLET_INVALID', holds(''), /./],
    [
      'a seed without its public half',
      'WALLET_INVALID',
      holds(JSON.stringify(Array(32).fill(1))),
      /./,
    ],
    ['bytes out of range', 'WALLET_INVALID', holds(JSON.stringify(Array(64).fill(256))), /./],
    ...(process.geteuid?.() === 0 ? [OF_ANOTHER] : []),
  ])('%s: %s', (_what, code, spoil, hint) => {
    makeKeyFile(WALLET());
    spoil();
    const error = thrownBy(() => openKeyFile(WALLET()));
    expect(error.code).toBe(code);
    expect(String(error.hint)).toMatch(hint);
  });

  it('a name that a shell would read otherwise is quoted in the fix', () => {
    makeKeyFile(at("my key's.json"));
    chmodSync(at("my key's.json"), 0o644);
    expect(String(thrownBy(() => openKeyFile(at("my key's.json"))).hint)).toBe(
      `Run: chmod 600 '${dir}/my key'\\''s.json'`,
    );
  });

  it.each([
    ...[0o600, 0o400, 0o700].map((mode) => [WALLET, mode] as const),
    // A folder that others may write to is fine when it is sticky.
    [() => dir, 0o1777] as const,
  ])('not what is the owner’s alone: %#', (place, mode) => {
    makeKeyFile(WALLET());
    chmodSync(place(), mode);
    openKeyFile(WALLET());
  });

  it('whatever the file holds, only a ScripError escapes, and it quotes nothing of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.array(fc.integer()).map(String)), (text) => {
        writeFileSync(at('any.json'), text, { mode: 0o600 });
        expect(thrownBy(() => openKeyFile(at('any.json'))).code).toBe('WALLET_INVALID');
      }),
    );
  });
});

it('a signer leaves no seed behind', () => {
  const key = newKey();
  if (key.kind === 'encrypted') throw new Error('it should be in the clear');
  signerOf(key.seed);
  expect(() => key.seed.use(String)).toThrow('wiped');
});

it('a keystore whose key cannot be derived is not taken for a wrong passphrase', async () => {
  const [seed, passphrase] = [Buffer.alloc(32, 7), Buffer.from('a passphrase')].map(secretOf);
  if (seed === undefined || passphrase === undefined) throw new Error('two secrets');
  const random = (length: number) => new Uint8Array(length).fill(1);
  const store = await sealSeed({ seed, passphrase }, random, { N: 1_024, p: 1 });
  const broken = { ...store, kdf: { ...store.kdf, N: 3 } };
  await expect(unlock(broken, passphrase)).rejects.toMatchObject({ code: 'WALLET_INVALID' });
});
