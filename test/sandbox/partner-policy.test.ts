/** Accounts of the sandbox are what their addresses say. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal } from '../../src/domain/money/money.ts';
import { SANDBOX_POLICY as policy } from '../../src/sandbox/partner/policy.ts';

function describeAccount(email: string | undefined): string {
  const account = policy.customer(email);
  const words = [
    account.tier.name,
    account.isSignedIn ? 'signed in' : '',
    account.verification,
    account.mustVerify ? 'must verify' : '',
    account.needsReview ? 'reviewed' : '',
    account.spentElsewhereUsd > 0n ? `spent ${formatDecimal(account.spentElsewhereUsd, 6)}` : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}

describe('an account', () => {
  it.each([
    [undefined, 'basic, none'],
    ['a@example.com', 'basic, none'],
    ['a+@example.com', 'basic, none'],
    ['a+other@example.com', 'basic, none'],
    ['a+toString@example.com', 'basic, none'],
    ['a@example.com+vip', 'basic, none'],
    ['a+signedin@example.com', 'basic, signed in, none'],
    ['a+SignedIn@example.com', 'basic, signed in, none'],
    ['a+verified@example.com', 'verified, signed in, verified'],
    ['a+vip@example.com', 'vip, signed in, verified'],
    ['a+kyc@example.com', 'basic, none, must verify'],
    ['a+kyc-pending@example.com', 'basic, pending, must verify'],
    ['a+review+vip@example.com', 'vip, signed in, verified, reviewed'],
    ['a+verified+vip@example.com', 'vip, signed in, verified'],
    ['a+spent-900@example.com', 'basic, none, spent 900'],
    ['a+spent-007+signedin@example.com', 'basic, signed in, none, spent 7'],
    ['a+spent-1e9@example.com', 'basic, none'],
    ['a+spent-9999999999@example.com', 'basic, none'],
  ])('%s is %s', (email, words) => {
    expect(describeAccount(email)).toBe(words);
  });

  it('can be told from any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(policy.customer(text).tier.name).toMatch(/^(basic|verified|vip)$/);
      }),
    );
  });
});

describe('a coupon', () => {
  it('is found in any case, and nothing else is', () => {
    expect(policy.coupon('welcome10')?.discount).toEqual({ kind: 'percentage', bps: 1_000 });
    expect(policy.coupon('FIVEOFF')?.discount).toEqual({ kind: 'fixed', usd: 5_000_000n });
    expect(['', 'WELCOME', '__proto__'].map((code) => policy.coupon(code))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
