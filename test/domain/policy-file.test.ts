import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { PLAY_MONEY, REAL_MONEY } from '../../src/domain/policy/policy.ts';
import { loosened, setPolicyKey } from '../../src/domain/policy/policy-change.ts';
import {
  formatPolicy,
  type PolicyFile,
  parsePolicy,
  policyOf,
} from '../../src/domain/policy/policy-file.ts';

const read = (value: unknown): PolicyFile => parsePolicy(JSON.stringify(value), 'policy.json');
const A = '5MSAf2mTKwMbhRL3wV2UDzDhWJ7kyY4ffoFwZPNfNcFC';
const B = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const WHOLE = {
  perOrder: '50.00',
  perDay: '100.00',
  perMerchantPerDay: '80.50',
  minReserve: '1.00',
  maxOpenIntents: 3,
  hosts: {
    'x402.example': { payTo: [A, B], feePayers: ['f'], memo: 'off' },
    'localhost:4020': { payTo: 'manifest' },
  },
  recipients: ['*@example.org', '+39*'],
  kinds: ['giftcard', 'esim'],
  nonInteractive: { enabled: true, perOrder: '20.00' },
  mcp: { pay: 'confirm', revealCodes: false, askAbove: '4.00' },
};

describe('a policy file', () => {
  it('without a word is the defaults, for real and for play money', () => {
    expect(policyOf({}, false)).toEqual(REAL_MONEY);
    expect(policyOf({}, true)).toEqual(PLAY_MONEY);
  });

  it('is written as it was read', () => {
    const file = read(WHOLE);
    expect(read(JSON.parse(formatPolicy(file)))).toEqual(file);
    expect(JSON.parse(formatPolicy(file))).toMatchObject(WHOLE);
  });

  it('holds for play money too', () => {
    const policy = policyOf(read({ perDay: '40', nonInteractive: { enabled: false } }), true);
    expect(policy.perDay).toBe(40_000_000n);
    expect(policy.nonInteractive.enabled).toBe(false);
  });

  it.each([
    ['no object', [], 'policy.json is not an object'],
    ['a misspelt key', { perday: '1' }, 'perday is not a policy key'],
    ['a misspelt key below', { mcp: { pays: 'off' } }, 'mcp.pays is not a policy key'],
    ['an amount that is a number', { perDay: 100 }, 'perDay is not an amount in quotes'],
    ['an amount below nothing', { perDay: '-1' }, 'perDay is "-1", not an amount such as "50"'],
    ['too many decimals', { perDay: '1.0000001' }, 'perDay'],
    ['a count with a fraction', { maxOpenIntents: 1.5 }, 'maxOpenIntents'],
    ['a host with a path', { hosts: { 'x.example/pay': {} } }, 'is not a host'],
    ['a host in capitals', { hosts: { 'X.example': {} } }, 'is not a host'],
    [
      'a strange rule',
      { hosts: { 'x.example': { payTo: 'all' } } },
      'payTo is not one of any, manifest',
    ],
    [
      'a payee that is no address',
      { hosts: { 'x.example': { payTo: [A, 'none'] } } },
      'hosts.x.example.payTo has "none", which is not an address on Solana or Base; use any, manifest or addresses',
    ],
    [
      'a payee cut short',
      { hosts: { 'x.example': { payTo: [A.slice(0, 40)] } } },
      'not an address',
    ],
    ['one of Base cut short', { hosts: { 'x.example': { payTo: ['0x8335'] } } }, 'not an address'],
    ['a kind that is none', { kinds: ['cash'] }, 'kinds is not one of giftcard'],
    ['recipients in one text', { recipients: '*' }, 'recipients is not a list'],
  ])('is refused for %s', (_what, value, message) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', exit: 2 }));
    expect(() => read(value)).toThrow(message);
  });

  it('never fails in another way than by its own error', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((v) => JSON.stringify({ hosts: v, mcp: v })),
    );
    const property = fc.property(anything, (text) => {
      try {
        policyOf(parsePolicy(text, 'policy.json'), false);
      } catch (error) {
        expect(error).toBeInstanceOf(ScripError);
      }
    });
    fc.assert(property);
  });
});

describe('a key that is written twice', () => {
  it.each([
    ['at the top', '{"perOrder":"5","perOrder":"500"}', 'perOrder'],
    ['within a part', '{"mcp":{"pay":"off","pay":"auto"}}', 'pay'],
    ['by another spelling of the name', '{"perDay":"5","per\\u0044ay":"500"}', 'perDay'],
  ])('%s is refused', (_where, text, key) => {
    expect(() => parsePolicy(text, 'policy.json')).toThrow(
      expect.objectContaining({
        code: 'POLICY_INVALID',
        message: `policy.json has "${key}" twice`,
      }),
    );
  });

  it('in two objects, or as a value, is no repetition', () => {
    const text = '\uFEFF{"nonInteractive":{"perOrder":"5"},"perOrder":"5","kinds":["esim","esim"]}';
    expect(parsePolicy(text, 'policy.json').kinds).toEqual(['esim', 'esim']);
  });
});

describe('a key that is set', () => {
  it.each([
    ['perDay', '40', { perDay: '40.00' }],
    ['perOrder', '1.0000', { perOrder: '1.00' }],
    ['maxOpenIntents', '5', { maxOpenIntents: 5 }],
    ['kinds', 'esim, giftcard', { kinds: ['esim', 'giftcard'] }],
    ['nonInteractive.enabled', 'true', { nonInteractive: { enabled: true } }],
    ['mcp.pay', 'confirm', { mcp: { pay: 'confirm' } }],
    ['hosts.x402.example', 'any', { hosts: { 'x402.example': { payTo: 'any' } } }],
    ['hosts.x402.example', `${A}, ${B}`, { hosts: { 'x402.example': { payTo: [A, B] } } }],
    ['hosts.x402.example', '{"memo":"off"}', { hosts: { 'x402.example': { memo: 'off' } } }],
  ])('%s %s', (key, typed, expected) => {
    expect(JSON.parse(formatPolicy(setPolicyKey({}, key, typed)))).toMatchObject(expected);
  });

  it.each(['perOrder', 'perDay', 'minReserve', 'nonInteractive.perOrder'])(
    '%s is not set to an amount that may mean thousands',
    (key) => {
      for (const typed of ['1.000', '25.125']) {
        expect(() => setPolicyKey({}, key, typed)).toThrow(/may mean/);
      }
    },
  );

  it('leaves the others, and `default` takes it out again', () => {
    const file = setPolicyKey(read(WHOLE), 'nonInteractive.perOrder', '5');
    expect(file.nonInteractive).toEqual({ enabled: true, perOrder: 5_000_000n });
    expect(setPolicyKey(file, 'perDay', 'default').perDay).toBeUndefined();
    expect(setPolicyKey(file, 'hosts.x402.example', 'off').hosts?.size).toBe(1);
  });

  it.each([
    ['perday', '1', 'INPUT_INVALID'],
    ['constructor', '1', 'INPUT_INVALID'],
    ['perDay', 'much', 'POLICY_INVALID'],
    ['hosts.', 'any', 'POLICY_INVALID'],
    ['hosts.x402.example', '{', 'POLICY_INVALID'],
    ['hosts.x402.example', 'none', 'POLICY_INVALID'],
    ['hosts.x402.example', `any,${A}`, 'POLICY_INVALID'],
  ])('%s %s is refused', (key, typed, code) => {
    expect(() => setPolicyKey({}, key, typed)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a change', () => {
  const before = read(WHOLE);
  const looser = (key: string, typed: string) =>
    loosened(policyOf(before, false), policyOf(setPolicyKey(before, key, typed), false));

  it.each([
    ['perOrder', '50.01'],
    ['perDay', '200'],
    ['perMerchantPerDay', 'default'],
    ['maxOpenIntents', '4'],
    ['minReserve', '0.5'],
    ['recipients', '*'],
    ['recipients', 'default'],
    ['kinds', 'giftcard,esim,mobile_topup'],
    ['nonInteractive.perOrder', '21'],
    ['mcp.pay', 'auto'],
    ['mcp.revealCodes', 'true'],
    ['mcp.askAbove', '5'],
    ['mcp.revealCodes', 'default'],
    ['hosts.evil.example', 'any'],
    ['hosts.x402.example', 'any'],
  ])('of %s to %s allows more', (key, typed) => {
    expect(looser(key, typed)).toEqual([key]);
  });

  it.each([
    ['perOrder', '50'],
    ['perDay', '10'],
    ['maxOpenIntents', '0'],
    ['minReserve', '5'],
    ['recipients', '+39*'],
    ['kinds', 'esim'],
    ['nonInteractive.enabled', 'false'],
    ['mcp.pay', 'off'],
    ['hosts.x402.example', 'off'],
  ])('of %s to %s does not', (key, typed) => {
    expect(looser(key, typed)).toEqual([]);
  });
});

describe("a change of a host's rule", () => {
  const HOST = 'b.example';
  const looser = (before: object, typed: string) => {
    const file = read({ hosts: { [HOST]: before } });
    const after = setPolicyKey(file, `hosts.${HOST}`, typed);
    return [false, true].flatMap((play) => loosened(policyOf(file, play), policyOf(after, play)));
  };

  it.each([
    ['any', A],
    ['any', `${A},${B}`],
    ['any', 'manifest'],
    ['any', 'any'],
    ['manifest', 'manifest'],
    [[A, B], B],
    [[A, B], `${B},${A}`],
  ])('from %j to %s only forbids', (payTo, typed) => {
    expect(looser({ payTo }, typed)).toEqual([]);
  });

  it.each([
    ['manifest to a list', { payTo: 'manifest' }, A],
    ['manifest to any', { payTo: 'manifest' }, 'any'],
    ['a list to manifest', { payTo: [A] }, 'manifest'],
    ['a list to any', { payTo: [A] }, 'any'],
    ['a list to one more', { payTo: [A] }, `${A},${B}`],
    ['a list to another', { payTo: [A] }, B],
    ['another network', {}, JSON.stringify({ payTo: [A], network: 'solana:other' })],
    ['another mint', {}, JSON.stringify({ payTo: [A], mint: A })],
    ['fee payers to any', { feePayers: [B] }, A],
    ['a memo that was off', { memo: 'off' }, A],
  ])('from %s is asked about', (_what, before, typed) => {
    expect(looser(before, typed)).toEqual([`hosts.${HOST}`, `hosts.${HOST}`]);
  });
});
