/**
 * The partner API's rules in the sandbox, sample data of ours (docs/inside/partner-rules.md); tags in an email
 * address choose the account's traits.
 */

import { MAX_DELIVERIES_PER_ORDER } from '../../contract/partner-orders.ts';
import { FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import type {
  Coupon,
  Customer,
  PartnerPolicy,
  ProductFlag,
} from '../../service/partner/rules/order-context.ts';
import { tagsOf } from '../scenarios.ts';

const usd = (text: string) => parseDecimal(text, FACE_DECIMALS);

/** US dollars that an account may spend. */
export const TIERS = {
  basic: { daily: '1000', monthly: '2500' },
  verified: { daily: '5000', monthly: '20000' },
  vip: { daily: '25000', monthly: '100000' },
} as const;

interface Traits extends Partial<Omit<Customer, 'tier' | 'spentElsewhereUsd'>> {
  readonly tier?: keyof typeof TIERS;
}

/** What a tag in an email address sets for the account. */
export const TAGS: Readonly<Record<string, Traits>> = {
  signedin: { isSignedIn: true },
  kyc: { mustVerify: true },
  'kyc-pending': { mustVerify: true, verification: 'pending' },
  verified: { isSignedIn: true, verification: 'verified', tier: 'verified' },
  vip: { isSignedIn: true, verification: 'verified', tier: 'vip' },
  review: { needsReview: true },
};

/** `name+spent-900@…` has already spent 900 USD this month. */
const SPENT_TAG = /^spent-(\d{1,9})$/;

interface Flag {
  readonly flag: ProductFlag;
  readonly brand: string;
  readonly country?: string;
  /** By default all face values. */
  readonly value?: string;
}

// One brand shows each problem that a single denomination can have; its other denominations sell
// normally.
const FLAGS: readonly Flag[] = [
  { flag: 'inactive', brand: 'eBay', country: 'us', value: '10' },
  { flag: 'out_of_stock', brand: 'eBay', country: 'us', value: '25' },
  { flag: 'withdrawn', brand: 'eBay', country: 'us', value: '50' },
  { flag: 'verification', brand: 'eBay', country: 'us', value: '100' },
  { flag: 'login', brand: 'Etsy', country: 'us' },
  { flag: 'limited', brand: 'Wayfair', country: 'us' },
  { flag: 'kyc', brand: 'Visa Virtual Gift Card', country: 'us' },
  { flag: 'kyc', brand: 'Virtual Prepaid Mastercard' },
];

const coupon = (code: string, more: Partial<Coupon> = {}): Coupon => ({
  code,
  discount: { kind: 'percentage', bps: 1_000 },
  usesPerCustomer: 1,
  requiresLogin: false,
  usedElsewhere: { total: 0, byCustomer: 0 },
  ...more,
});

export const COUPONS: readonly Coupon[] = [
  coupon('WELCOME10'),
  coupon('FIVEOFF', { discount: { kind: 'fixed', usd: usd('5') } }),
  coupon('GIFT100', { discount: { kind: 'percentage', bps: 10_000 }, minimumUsd: usd('10') }),
  coupon('LOGIN10', { requiresLogin: true }),
  coupon('NOTYET10', { startsAtMs: Date.parse('2100-01-01T00:00:00Z') }),
  coupon('SPENT10', { usedElsewhere: { total: 1, byCustomer: 1 } }),
  coupon('SOLDOUT10', { maximumUses: 100, usedElsewhere: { total: 100, byCustomer: 0 } }),
  coupon('EXPIRED10', { endsAtMs: Date.parse('2020-01-01T00:00:00Z') }),
  coupon('MIN100', { minimumUsd: usd('100') }),
  coupon('FRIEND10', { customers: ['friend@example.com'] }),
  coupon('GAMES10', { categories: ['games'] }),
  coupon('ESIM10', { kinds: ['esim'] }),
  coupon('STEAM10', { brands: ['Steam'] }),
  coupon('BRAZIL10', { countries: ['br'] }),
  coupon('KIOSK10', { stores: ['scrip-kiosk'] }),
];

export const SANDBOX_POLICY: PartnerPolicy = {
  limits: {
    maximumUsd: usd('5000'),
    maximumProducts: MAX_DELIVERIES_PER_ORDER,
    unverifiedMonthlyUsd: usd('2000'),
    feeBps: { binance_pay: 100 },
  },
  customer: customerOf,
  coupon: (code) => COUPONS.find((known) => known.code === code.toUpperCase()),
  flagsOf: ({ brand }, faceValue) =>
    FLAGS.filter(
      ({ brand: name, country, value }) =>
        brand.name === name &&
        (country === undefined || brand.countryCode === country) &&
        (value === undefined || usd(value) === faceValue),
    ).map(({ flag }) => flag),
};

/** Returns the account of an email address; where two tags disagree, the later one wins. */
function customerOf(email: string | undefined): Customer {
  const tags = tagsOf(email ?? '');
  const traits: Traits = Object.assign(
    {},
    ...tags.map((tag) => (Object.hasOwn(TAGS, tag) ? TAGS[tag] : {})),
  );
  const spent = tags.map((tag) => SPENT_TAG.exec(tag)?.[1]).find((text) => text !== undefined);
  const name = traits.tier ?? 'basic';
  return {
    isSignedIn: false,
    verification: 'none',
    mustVerify: false,
    needsReview: false,
    ...traits,
    tier: { name, dailyUsd: usd(TIERS[name].daily), monthlyUsd: usd(TIERS[name].monthly) },
    spentElsewhereUsd: usd(String(Number(spent ?? '0'))),
  };
}
