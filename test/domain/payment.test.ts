import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_IDENTIFIER,
  type PaymentRequired,
  type PaymentRequirement,
  paymentRequired,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { atomic } from '../../src/domain/money/money.ts';
import {
  challengeExpiry,
  checkRequirement,
  chooseRequirement,
  type Limits,
  paymentPayload,
} from '../../src/domain/payment/payment.ts';

const PAYER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const PAY_TO = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const FEE_PAYER = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';
const NOW = Date.UTC(2026, 0, 1);
const MEANS = { network: SOLANA_MAINNET, asset: USDC_MINT };

const LIMITS: Limits = {
  capAtomic: atomic(50_500_000n),
  expiresAtMs: NOW + 60_000,
  nowMs: NOW,
};

const GOOD: PaymentRequirement = {
  scheme: 'exact',
  network: SOLANA_MAINNET,
  maxAmountRequired: '50500000',
  amount: '50500000',
  asset: USDC_MINT,
  payTo: PAY_TO,
  extra: { feePayer: FEE_PAYER },
};

const offering = (...accepts: readonly unknown[]): PaymentRequired =>
  ({ x402Version: 2, accepts }) as PaymentRequired;

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return error instanceof ScripError ? error.code : `escaped: ${String(error)}`;
  }
};

describe('choosing an offer', () => {
  it('takes the one on our network and in our asset, wherever it stands, untouched', () => {
    const ours = { unknown: [1], ...GOOD };
    const required = offering(
      { scheme: 'exact', network: 'eip155:8453', asset: '0x1' },
      { ...GOOD, asset: 'So11111111111111111111111111111111111111112' },
      ours,
    );
    expect(chooseRequirement(required, MEANS).accepted).toBe(ours);
    // The first of two, as the merchant prefers it.
    const two = offering(ours, { ...GOOD, maxAmountRequired: '1', amount: '1' });
    expect(chooseRequirement(two, MEANS).accepted).toBe(ours);
  });

  it.each([
    [
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      true,
    ],
    [
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      '0x833589fcd6edb6e08f4c7c32d4f71b54bda02914',
      false,
    ],
    [USDC_MINT, USDC_MINT.toLowerCase(), false],
  ])('an asset %s is the one written %s: %s', (ours, asked, isSame) => {
    const choose = () =>
      chooseRequirement(offering({ ...GOOD, asset: asked }), { ...MEANS, asset: ours });
    expect(codeOf(choose)).toBe(isSame ? 'accepted' : 'REQUIREMENT_UNACCEPTABLE');
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ['another scheme', { ...GOOD, scheme: 'upto' }, 'upto'],
    ['another network', { ...GOOD, network: 'solana:devnet' }, 'solana:devnet'],
    ['another asset', { ...GOOD, asset: PAY_TO }, PAY_TO],
    ['an address that is none', { ...GOOD, payTo: '0OIl' }, 'payTo'],
    ['a negative amount', { ...GOOD, amount: '-50500000' }, 'amount'],
    ['an amount in hex', { ...GOOD, maxAmountRequired: '0x10' }, 'maxAmountRequired'],
    ['an amount with spaces', { ...GOOD, amount: ' 5 ' }, 'amount'],
    ['an amount as a number', { ...GOOD, amount: 5 }, 'amount'],
    ['an empty amount', { ...GOOD, amount: '' }, 'amount'],
  ];

  it.each(refused)('%s is refused and named', (_name, accept, named) => {
    const choose = () => chooseRequirement(offering(accept), MEANS);
    expect(codeOf(choose)).toBe('REQUIREMENT_UNACCEPTABLE');
    expect(choose).toThrow(named);
  });
});

describe('checking a requirement', () => {
  it('gives the amount when all is well', () => {
    expect(checkRequirement(GOOD, LIMITS)).toBe(50_500_000n);
  });

  it.each(['amount', 'maxAmountRequired'] as const)('%s alone is enough', (name) => {
    const { amount: _amount, maxAmountRequired: _max, ...rest } = GOOD;
    expect(checkRequirement({ ...rest, [name]: '7' }, LIMITS)).toBe(7n);
  });

  const { amount: _a, maxAmountRequired: _m, ...without } = GOOD;
  const rows: readonly (readonly [string, PaymentRequirement, Partial<Limits>, string])[] = [
    ['no amount', without, {}, 'REQUIREMENT_UNACCEPTABLE'],
    ['two amounts', { ...GOOD, amount: '50499999' }, {}, 'REQUIREMENT_UNACCEPTABLE'],
    [
      'an amount beyond 64 bits',
      { ...without, amount: '18446744073709551616' },
      {},
      'REQUIREMENT_UNACCEPTABLE',
    ],
    ['an amount of nothing', { ...without, amount: '0' }, {}, 'REQUIREMENT_UNACCEPTABLE'],
    ['a negative amount', { ...without, amount: '-5' }, {}, 'REQUIREMENT_UNACCEPTABLE'],
    ['one unit over the cap', GOOD, { capAtomic: atomic(50_499_999n) }, 'AMOUNT_OVER_CAP'],
    ['a challenge that is over', GOOD, { expiresAtMs: NOW }, 'CHALLENGE_EXPIRED'],
  ];

  it.each(rows)('%s is refused', (_name, requirement, limits, code) => {
    expect(codeOf(() => checkRequirement(requirement, { ...LIMITS, ...limits }))).toBe(code);
  });

  it.each<[string, PaymentRequirement, Partial<Limits>, string]>([
    ['no amount', without, {}, 'has no amount'],
    ['none that is readable', { ...without, amount: '-5' }, {}, '"-5" is not an amount'],
    ['nothing', { ...without, amount: '0' }, {}, 'asks for an amount of 0'],
    ['too late', GOOD, { expiresAtMs: NOW }, 'expired at 2026-01-01T00:00:00.000Z'],
    ['never', GOOD, { expiresAtMs: -8.64e15 }, 'expired at -271821-04-20T00:00:00.000Z'],
    ['at no time', GOOD, { expiresAtMs: -1e300 }, 'expired at an unreadable time'],
  ])('that asks for %s says so', (_name, requirement, limits, words) => {
    expect(() => checkRequirement(requirement, { ...LIMITS, ...limits })).toThrow(words);
  });
});

describe('the end of a challenge', () => {
  it('is what the merchant says, in seconds', () => {
    expect(challengeExpiry({ ...offering(GOOD), expiresAt: 1_767_225_660 }, NOW)).toBe(
      1_767_225_660_000,
    );
  });

  it.each<[unknown, number]>([
    ['1767225660', 1_767_225_660_000],
    ['2026-01-01T00:00:30Z', NOW + 30_000],
    ['', NOW + 60_000],
    ['soon', NOW + 60_000],
    ['Infinity', NOW + 60_000],
    [Number.POSITIVE_INFINITY, NOW + 60_000],
    [Number.NaN, NOW + 60_000],
    [null, NOW + 60_000],
    [undefined, NOW + 60_000],
  ])('%j is %i', (expiresAt, endsAtMs) => {
    const required = { ...offering(GOOD), expiresAt } as PaymentRequired;
    expect(challengeExpiry(required, NOW)).toBe(endsAtMs);
  });

  it.each([1e300, -1e300])('at %d seconds is handled like any other', (expiresAt) => {
    const expiresAtMs = challengeExpiry({ ...offering(GOOD), expiresAt }, NOW);
    expect(codeOf(() => checkRequirement(GOOD, { ...LIMITS, expiresAtMs }))).toBe(
      expiresAt > 0 ? 'accepted' : 'CHALLENGE_EXPIRED',
    );
  });
});

describe('the payload', () => {
  const SIGNED = { payload: { transaction: 'dHg=' }, paymentId: 'scrip_0123456789abcdef' };
  const required = { ...offering(GOOD), resource: { url: 'u' }, extensions: { e: 1 } };

  it('holds the flat form always, and the echo for requirements in the standard’s terms', () => {
    expect(paymentPayload(GOOD, required, SIGNED)).toEqual({
      x402Version: 2,
      scheme: 'exact',
      network: SOLANA_MAINNET,
      payload: { transaction: 'dHg=' },
      accepted: GOOD,
      resource: { url: 'u' },
      extensions: { e: 1 },
    });
  });

  it('is flat alone for requirements in the interface’s terms', () => {
    const { amount: _amount, ...interfaceTerms } = GOOD;
    expect(Object.keys(paymentPayload(interfaceTerms, required, SIGNED))).toEqual([
      'x402Version',
      'scheme',
      'network',
      'payload',
    ]);
  });

  it('names the payment for a merchant that offers to keep the name, in either terms', () => {
    const { amount: _amount, ...interfaceTerms } = GOOD;
    const schema = { type: 'object' };
    const offer = { info: { required: false, more: 1 }, schema };
    const extensions = { e: 1, [PAYMENT_IDENTIFIER]: offer };
    for (const requirement of [GOOD, interfaceTerms]) {
      const payload = paymentPayload(requirement, { ...required, extensions }, SIGNED);
      expect(payload.extensions).toEqual({
        e: 1,
        [PAYMENT_IDENTIFIER]: { info: { ...offer.info, id: SIGNED.paymentId }, schema },
      });
    }
  });

  it.each([['a text'], [null], [{}], [{ info: 'x' }], [{ info: { id: 7 } }]])(
    'echoes an offer of a name that is none, %j, as it came',
    (offer) => {
      const extensions = { [PAYMENT_IDENTIFIER]: offer };
      const payload = paymentPayload(GOOD, { ...required, extensions }, SIGNED);
      expect(payload.extensions).toEqual(extensions);
    },
  );

  it('leaves out what the merchant did not send', () => {
    const sent = Object.keys(paymentPayload(GOOD, offering(GOOD), SIGNED));
    expect(sent.toSorted()).toEqual(['accepted', 'network', 'payload', 'scheme', 'x402Version']);
  });

  it('echoes an offer of a name as it came where the payment has none', () => {
    const extensions = { [PAYMENT_IDENTIFIER]: { info: { required: false }, schema: {} } };
    const unnamed = { payload: SIGNED.payload };
    const payload = paymentPayload(GOOD, { ...required, extensions }, unnamed);
    expect(payload.extensions).toEqual(extensions);
  });

  it('goes through the header unchanged, whatever it echoes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
        const requirement = { ...GOOD, unknown: extra };
        const payload = paymentPayload(requirement, required, SIGNED);
        expect(decodeHeader(encodeHeader(payload))).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
    );
  });
});

describe('whatever a merchant sends', () => {
  const part = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(SOLANA_MAINNET, USDC_MINT, PAYER, PAY_TO, FEE_PAYER, 'exact', '1', '-1', ''),
  );
  const requirement = fc.record(
    {
      scheme: fc.oneof(fc.constant('exact'), part),
      network: fc.oneof(fc.constant(SOLANA_MAINNET), part),
      asset: fc.oneof(fc.constant(USDC_MINT), part),
      payTo: part,
      amount: part,
      maxAmountRequired: part,
      extra: fc.oneof(part, fc.record({ feePayer: part, memo: part }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );

  it('only a ScripError escapes, and what is accepted is within the cap', () => {
    fc.assert(
      fc.property(fc.array(requirement), fc.option(part), (accepts, expiresAt) => {
        const parsed = paymentRequired().safeParse({ x402Version: 2, accepts, expiresAt });
        if (!parsed.success) return;
        try {
          const { requirement: chosen } = chooseRequirement(parsed.data, MEANS);
          expect(checkRequirement(chosen, LIMITS)).toBeLessThanOrEqual(LIMITS.capAtomic);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
