/** The rules one by one: each row changes one thing about an order that is fine. */
import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES, type ProblemCode } from '../../../src/contract/codes.ts';
import { parseDecimal } from '../../../src/domain/money/money.ts';
import { createSandboxMarket } from '../../../src/sandbox/market.ts';
import {
  type CheckedOrder,
  type Coupon,
  type Customer,
  chosenPayment,
  type OrderContext,
  type OrderLine,
  type PricedProduct,
  type ProductFlag,
} from '../../../src/service/partner/rules/order-context.ts';
import {
  discountUsd,
  redeemableCoupon,
  suspension,
  validate,
} from '../../../src/service/partner/rules/rules.ts';
import { smallCatalog } from '../../support/small-catalog.ts';

const usd = (text: string) => parseDecimal(text, 6);
const NOW = Date.UTC(2026, 0, 15);

function goods(value = '25', flags: readonly ProductFlag[] = []): PricedProduct {
  const product = smallCatalog.product('amazon-25');
  if (!product) throw new Error('the small catalog should have amazon-25');
  return { product, faceValue: usd(value), valueUsd: usd(value), priceUsd: usd(value), flags };
}

const line = (more: Partial<OrderLine> = {}): OrderLine => ({
  brandName: 'Amazon.com',
  countryCode: 'us',
  beneficiary: 'friend@example.com',
  goods: goods(),
  ...more,
});
const flagged = (...flags: ProductFlag[]) => line({ goods: goods('25', flags) });
const worth = (value: string) => line({ goods: goods(value) });

const order: CheckedOrder = {
  lines: [line()],
  payment: { via: 'user_wallet', coin: 'USDC', network: 'Solana' },
  email: 'buyer@example.com',
  couponCode: undefined,
  nftCards: 0,
  store: 'shop',
};

const stranger: Customer = {
  tier: { name: 'basic', dailyUsd: usd('100'), monthlyUsd: usd('1000') },
  isSignedIn: false,
  verification: 'none',
  mustVerify: false,
  needsReview: false,
  spentElsewhereUsd: usd('0'),
};

const market = createSandboxMarket();

const facts: OrderContext = {
  nowMs: NOW,
  customer: stranger,
  spentUsd: { today: usd('0'), thisMonth: usd('0') },
  limits: {
    maximumUsd: usd('500'),
    maximumProducts: 3,
    unverifiedMonthlyUsd: usd('900'),
    feeBps: {},
  },
  market,
  payable: { amount: usd('25'), minimum: usd('1'), decimals: 6 },
  coupon: undefined,
  couponUse: { total: 0, byCustomer: 0 },
};

const coupon = (more: Partial<Coupon> = {}): Coupon => ({
  code: 'TEN',
  discount: { kind: 'percentage', bps: 1_000 },
  usesPerCustomer: 1,
  requiresLogin: false,
  usedElsewhere: { total: 0, byCustomer: 0 },
  ...more,
});

interface Change {
  readonly order?: Partial<CheckedOrder>;
  readonly facts?: Partial<OrderContext>;
  readonly customer?: Partial<Customer>;
  readonly coupon?: Partial<Coupon>;
}

function codes(change: Change): readonly ProblemCode[] {
  const customer = { ...stranger, ...change.customer };
  const redeemed = change.coupon && coupon(change.coupon);
  return validate(
    { ...order, ...(redeemed ? { couponCode: 'TEN' } : {}), ...change.order },
    { ...facts, customer, coupon: redeemed, ...change.facts },
  ).map(({ problem }) => problem);
}

const having = (...lines: readonly OrderLine[]) => ({ order: { lines } });
const VERIFIED = { customer: { verification: 'verified' } } as const;
const payment = (via: string, coin: string, network?: string) => ({
  order: { payment: { via, coin, network } },
});
const spent = (today: string, thisMonth: string) => ({
  facts: { spentUsd: { today: usd(today), thisMonth: usd(thisMonth) } },
});
const payable = (amount: string) => ({
  facts: { payable: { amount: usd(amount), minimum: usd('1'), decimals: 6 } },
});

/** Each code by itself is shown over HTTP (orders.test.ts): here are the bounds, and what else leads to one. */
describe('an order', () => {
  it.each<[name: string, change: Change]>([
    ['that is fine', {}],
    ['of exactly the minimum', payable('1')],
    ['with nothing left to pay', payable('0')],
    ['in a coin that cannot be priced', { facts: { payable: undefined } }],
    ['that reaches the daily limit', spent('75', '75')],
    ['that reaches the monthly limit', { ...spent('0', '975'), ...VERIFIED }],
    ['that reaches the unverified limit', spent('0', '875')],
    ['of as many products as are allowed', having(line(), line(), line())],
    ['with one limited product', having(flagged('limited'), line())],
    ['paid where the via moves the money', payment('binance_pay', 'USDT')],
    ['paid there with a network all the same', payment('binance_pay', 'USDT', 'Tron')],
    [
      'of what needs a login, signed in',
      { ...having(flagged('login')), customer: { isSignedIn: true } },
    ],
    ['of what needs an identity, verified', { ...having(flagged('kyc')), ...VERIFIED }],
    ['with a coupon', { coupon: {} }],
    ['with a coupon at its first instant', { coupon: { startsAtMs: NOW } }],
    ['with a coupon at its last instant', { coupon: { endsAtMs: NOW + 1 } }],
    ['with a coupon of exactly its minimum', { coupon: { minimumUsd: usd('25') } }],
    ['with the last use of a coupon', { coupon: { maximumUses: 1 } }],
    ['with a coupon for this brand in any case', { coupon: { brands: ['AMAZON.COM'] } }],
    ['with a coupon for this buyer in any case', { coupon: { customers: ['Buyer@Example.com'] } }],
    [
      'with a coupon for all it could be for',
      {
        coupon: {
          categories: ['e-commerce'],
          kinds: ['giftcard'],
          countries: ['us'],
          stores: ['shop'],
        },
      },
    ],
    [
      'with a coupon for members, signed in',
      {
        coupon: { requiresLogin: true },
        customer: { isSignedIn: true },
      },
    ],
  ])('%s has no problem', (_name, change) => {
    expect(codes(change)).toEqual([]);
  });

  it.each<[code: ProblemCode, name: string, change: Change]>([
    ['AMOUNT_LESS_THEN_MINIMUM_ALLOWED', 'a unit below the minimum', payable('0.999999')],
    [
      'MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED',
      'a unit above the maximum',
      {
        order: { lines: [worth('500'), worth('0.000001')] },
        customer: { tier: { name: 'vip', dailyUsd: usd('9999'), monthlyUsd: usd('9999') } },
      },
    ],
    ['DAILY_SPENDING_LIMIT_EXCEEDED', 'a unit above the daily limit', spent('75.000001', '80')],
    [
      'MONTHLY_SPENDING_LIMIT_EXCEEDED',
      'a unit above the monthly limit',
      { ...spent('0', '975.000001'), ...VERIFIED },
    ],
    [
      'MONTHLY_SPENDING_LIMIT_EXCEEDED',
      'what was spent elsewhere',
      { customer: { verification: 'verified', spentElsewhereUsd: usd('980') } },
    ],
    ['NOT_AVAILABLE_PRODUCT', 'a withdrawn product', having(flagged('withdrawn'))],
    ['UNSUPPORTED_PROTOCOL_COIN_COMBINATION', 'another coin', payment('binance_pay', 'DOGE')],
    ['COUPON_NOT_ACTIVE', 'a moment too early', { coupon: { startsAtMs: NOW + 1 } }],
    ['COUPON_EXPIRED', 'its end', { coupon: { endsAtMs: NOW } }],
    [
      'COUPON_ALREADY_SPENT',
      'an earlier order',
      { coupon: {}, facts: { couponUse: { total: 1, byCustomer: 1 } } },
    ],
    [
      'COUPON_MAX_USAGE_REACHED',
      'orders of others',
      { coupon: { maximumUses: 2 }, facts: { couponUse: { total: 2, byCustomer: 0 } } },
    ],
    ['COUPON_BELOW_MIN_AMOUNT', 'a unit too little', { coupon: { minimumUsd: usd('25.000001') } }],
    [
      'COUPON_NOT_VALID_FOR_USER',
      'nobody in particular',
      {
        coupon: { customers: ['you@example.com'] },
        order: { couponCode: 'TEN', email: undefined },
      },
    ],
    ['KYC_MISSING', 'an amount', spent('0', '875.000001')],
    ['KYC_MISSING', 'an account that must', { customer: { mustVerify: true } }],
    ['VERIFICATION_REQUIRED', 'an account', { customer: { needsReview: true } }],
  ])('has %s for %s', (code, _name, change) => {
    expect(codes(change)).toEqual([code]);
  });

  it('has every problem at once, in the order of the table', () => {
    const found = codes({
      order: {
        lines: [flagged('inactive', 'out_of_stock', 'login', 'kyc'), line({ goods: undefined })],
        payment: { via: 'cheque', coin: 'USDC', network: 'Solana' },
      },
      coupon: { stores: ['kiosk'], endsAtMs: 0 },
    });
    expect(found).toEqual([
      'NOT_AVAILABLE_PRODUCT',
      'OUT_OF_STOCK',
      'NOT_ACTIVE',
      'NOT_ALLOWED_PAYMENT_VIA',
      'LOGIN_REQUIRED',
      'COUPON_EXPIRED',
      'COUPON_NOT_VALID_FOR_STORE',
      'KYC_MISSING',
    ]);
    const rank = Object.keys(PROBLEM_CODES);
    expect(found.map((code) => rank.indexOf(code))).toEqual(
      found.map((code) => rank.indexOf(code)).toSorted((a, b) => a - b),
    );
  });

  it('says which products are meant, and why', () => {
    const lines = [line(), line({ goods: undefined, goodsFault: 'unheard of' })];
    expect(validate({ ...order, lines }, facts)).toEqual([
      {
        problem: 'NOT_AVAILABLE_PRODUCT',
        moreDetails: {
          deliveries: [{ index: 1, brand_name: 'Amazon.com', reason: 'unheard of' }],
        },
      },
    ]);
  });
});

describe('a suspension', () => {
  it.each([
    ['DASH', 'Mainnet', 'SUSPENDED_COIN'],
    ['USDC', 'Optimism', 'SUSPENDED_NETWORK'],
    ['DASH', 'Optimism', 'SUSPENDED_COIN'],
    ['USDC', 'Solana', undefined],
    ['USDT', undefined, undefined],
  ])('of %s on %s: %s', (coin, network, detail) => {
    expect(suspension({ via: 'user_wallet', coin, network }, facts)?.detail).toBe(detail);
  });
});

describe('a coupon', () => {
  it.each<[name: string, coupon: Coupon | undefined, total: string, off: string]>([
    ['none', undefined, '25', '0'],
    ['a percentage', coupon(), '25', '2.5'],
    ['a percentage of a unit', coupon(), '0.000009', '0'],
    ['an amount', coupon({ discount: { kind: 'fixed', usd: usd('5') } }), '25', '5'],
    ['more than the total', coupon({ discount: { kind: 'fixed', usd: usd('50') } }), '25', '25'],
    ['all of it', coupon({ discount: { kind: 'percentage', bps: 10_000 } }), '25', '25'],
    ['of nothing', coupon(), '0', '0'],
  ])('that takes off %s', (_name, taken, total, off) => {
    expect(discountUsd(taken, usd(total))).toBe(usd(off));
  });

  it('is redeemed only when no rule of coupons refuses it', () => {
    const redeem = (change: Partial<Coupon>, code: string | undefined = 'TEN') =>
      redeemableCoupon({ ...order, couponCode: code }, { ...facts, coupon: coupon(change) })?.code;
    expect([redeem({}), redeem({ endsAtMs: NOW })]).toEqual(['TEN', undefined]);
    expect(redeemableCoupon(order, { ...facts, coupon: coupon() })).toBeUndefined();
    // A problem of the order itself does not change what the coupon is worth.
    const late = {
      ...facts,
      coupon: coupon(),
      market: { ...market, vias: [], via: () => undefined },
    };
    expect(redeemableCoupon({ ...order, couponCode: 'TEN' }, late)?.code).toBe('TEN');
  });
});

it('both forms of a payment are read', () => {
  expect(
    chosenPayment({ type: 'via', payment_via: 'user_wallet', coin: 'BTC', network: 'Mainnet' }),
  ).toEqual({ via: 'user_wallet', coin: 'BTC', network: 'Mainnet' });
  expect(chosenPayment({ type: 'binance_pay', coin: 'USDT' })).toEqual({
    via: 'binance_pay',
    coin: 'USDT',
    network: undefined,
  });
});
