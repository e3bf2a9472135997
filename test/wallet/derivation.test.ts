import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { accountPath, deriveSeed, parsePath, pathText } from '../../src/wallet/derivation.ts';
import { fuzzRuns } from '../support/fuzz.ts';

/** SLIP-0010, test vectors 1 and 2 for ed25519. */
const ONE = '000102030405060708090a0b0c0d0e0f';
const TWO =
  'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542';
const VECTORS: readonly (readonly [seed: string, path: string, key: string])[] = [
  [ONE, "m/0'", '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3'],
  [ONE, "m/0'/1'", 'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2'],
  [ONE, "m/0'/1'/2'", '92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9'],
  [ONE, "m/0'/1'/2'/2'", '30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662'],
  [
    ONE,
    "m/0'/1'/2'/2'/1000000000'",
    '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793',
  ],
  [TWO, "m/0'", '1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635'],
  [TWO, "m/0'/2147483647'", 'ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4'],
  [TWO, "m/0'/2147483647'/1'", '3757c7577170179c7868353ada796c839135b3d30554bbb74a4b1e4a5a58505c'],
  [
    TWO,
    "m/0'/2147483647'/1'/2147483646'",
    '5837736c89570de861ebc173b1086da4f505d4adb387c6a1b1342d5e4ac9ec72',
  ],
  [
    TWO,
    "m/0'/2147483647'/1'/2147483646'/2'",
    '551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d',
  ],
];

describe('derivation', () => {
  it.each(VECTORS)('gives the key of SLIP-0010: %s %s', (seed, path, key) => {
    expect(deriveSeed(Buffer.from(seed, 'hex'), parsePath(path)).toString('hex')).toBe(key);
  });

  it('without a path is the first half of the seed', () => {
    const seed = Buffer.from(TWO, 'hex');
    expect(deriveSeed(seed, { kind: 'none' })).toEqual(seed.subarray(0, 32));
  });

  it('takes an account for the path that wallets use', () => {
    expect(pathText(accountPath(0))).toBe("m/44'/501'/0'/0'");
    expect(accountPath(7)).toEqual(parsePath("m/44'/501'/7'/0'"));
    expect(parsePath('m/44h/501H')).toEqual(parsePath("m/44'/501'"));
  });

  it.each([
    '',
    'm',
    'm/',
    '44',
    "44'/501'",
    'm/44/501',
    "m/44'/501",
    "m/-1'",
    "m/2147483648'",
    "m/99999999999'",
    "m/0x1'",
    "m/ 1'",
    "m/1''",
    `m${"/1'".repeat(11)}`,
  ])('refuses the path "%s"', (path) => {
    expect(() => parsePath(path)).toThrow(ScripError);
  });

  it.each([-1, 1.5, 2 ** 31, Number.NaN])('refuses the account %d', (account) => {
    expect(() => accountPath(account)).toThrow(ScripError);
  });

  it('whatever the path is, only a ScripError escapes, and what is taken is told as it was', () => {
    const step = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.nat().map((n) => `${n}'`),
    );
    const paths = fc.oneof(
      fc.string(),
      fc.array(step, { maxLength: 12 }).map((steps) => ['m', ...steps].join('/')),
    );
    fc.assert(
      fc.property(paths, (path) => {
        try {
          const derivation = parsePath(path);
          expect(parsePath(pathText(derivation))).toEqual(derivation);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});
