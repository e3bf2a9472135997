import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PaymentRequirement, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import {
  type Judgement,
  likeliestOffer,
  offeredAmount,
  pass,
  requirementChecks,
} from '../../src/domain/payment/requirement-checks.ts';

const PAYER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const PAY_TO = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const FEE_PAYER = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';

const requirement: PaymentRequirement = {
  scheme: 'exact',
  network: SOLANA_MAINNET,
  amount: '25250000',
  maxAmountRequired: '25250000',
  asset: USDC_MINT,
  payTo: PAY_TO,
  extra: { feePayer: FEE_PAYER },
};
const judgement: Judgement = {
  network: SOLANA_MAINNET,
  asset: USDC_MINT,
  decimals: 6,
  payer: PAYER,
  capAtomic: atomic(26_000_000n),
  quotedAtomic: atomic(25_250_000n),
  expiresAtMs: 60_000,
  nowMs: 0,
  isKeyAddress: (address) => address !== 'off',
  extra: [],
};

function failed(over: Partial<PaymentRequirement>, more: Partial<Judgement> = {}): string[] {
  return requirementChecks({ ...requirement, ...over }, { ...judgement, ...more })
    .filter(({ state }) => state === 'fail')
    .map(({ check }) => check);
}

/** The requirement without one of the two names of its amount. */
function only(name: 'amount' | 'maxAmountRequired'): PaymentRequirement {
  const { amount: _amount, maxAmountRequired: _max, ...rest } = requirement;
  return { ...rest, [name]: '25250000' };
}

describe('checks of a payment requirement', () => {
  it('all hold for one that is as agreed', () => {
    expect(failed({})).toEqual([]);
    expect(requirementChecks(requirement, judgement)).toHaveLength(9);
  });

  it.each(['amount', 'maxAmountRequired'] as const)(
    'hold when only %s names the amount',
    (name) => {
      expect(
        requirementChecks(only(name), judgement).filter(({ state }) => state !== 'pass'),
      ).toEqual([]);
    },
  );

  const faults: readonly (readonly [string, Partial<PaymentRequirement>, readonly string[]])[] = [
    ['another network', { network: 'solana:other' }, ['network']],
    ['another asset', { asset: PAY_TO }, ['asset']],
    ['two amounts', { amount: '1' }, ['amount', 'cap', 'quote']],
    ['more than allowed', { amount: '26000001', maxAmountRequired: '26000001' }, ['cap']],
    ['the payer as recipient', { payTo: PAYER }, ['payTo']],
  ];
  it.each(faults)('tell %s', (_what, over, names) => expect(failed(over)).toEqual(names));

  it('tell every fault at once', () => {
    const over = { network: 'solana:other', asset: PAY_TO, payTo: PAYER };
    expect(failed(over, { nowMs: 60_000 })).toEqual(['network', 'asset', 'payTo', 'expiry']);
  });

  it('skip what nobody named a limit or a quote for', () => {
    const checks = requirementChecks(requirement, {
      ...judgement,
      capAtomic: undefined,
      quotedAtomic: undefined,
    });
    expect(checks.filter(({ state }) => state === 'skipped').map(({ check }) => check)).toEqual([
      'cap',
      'quote',
    ]);
  });

  it.each([
    ['25375000', '49 bps above the quote of 25.25'],
    ['25000000', '99 bps below the quote of 25.25'],
    ['25250000', 'equal to the quote, 25.25'],
  ])('say how far %s is from the quote', (text, detail) => {
    const checks = requirementChecks({ ...only('amount'), amount: text }, judgement);
    expect(checks.find(({ check }) => check === 'quote')?.detail).toEqual(detail);
  });

  it('name fields that are not read, such as a blockhash from the server', () => {
    const extra = { feePayer: FEE_PAYER, recentBlockhash: 'x', lastValidBlockHeight: 0 };
    const byRail = { ...judgement, extra: [pass('feePayer', FEE_PAYER)] };
    const checks = requirementChecks({ ...requirement, extra }, byRail);
    expect(checks.find(({ check }) => check === 'extra')?.detail).toBe(
      'ignored: extra.recentBlockhash "x", extra.lastValidBlockHeight 0',
    );
  });

  it('never throw, whatever texts a requirement holds', () => {
    const text = fc.string({ maxLength: 300 });
    fc.assert(
      fc.property(text, text, text, text, (amount, payTo, memo, network) => {
        const odd = { ...requirement, amount, payTo, network, extra: { memo } };
        expect(requirementChecks(odd, judgement)).toHaveLength(9);
        expect(offeredAmount(odd)).toBe(amount === '25250000' ? 25_250_000n : undefined);
      }),
    );
  });
});

describe('the offer that is judged', () => {
  const offer = (scheme: string, network: string, asset: string) => ({ scheme, network, asset });
  const ours = offer('exact', SOLANA_MAINNET, USDC_MINT);
  const other = offer('exact', SOLANA_MAINNET, PAY_TO);
  const foreign = offer('exact', 'eip155:8453', 'x');

  it.each([
    ['ours among others', [foreign, other, ours], ours],
    ['the one on our network', [foreign, other], other],
    ['the first', [foreign], foreign],
  ])('is %s', (_which, accepts, expected) => {
    const required = { x402Version: 2 as const, accepts };
    expect(likeliestOffer(required, { network: SOLANA_MAINNET, asset: USDC_MINT })).toBe(expected);
  });
});
