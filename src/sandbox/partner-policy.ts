/** The partner API's rules in the sandbox; tags in an email address choose the account's traits. */
import { FACE_DECIMALS, parseDecimal } from '../domain/money.ts';
import type { Product } from '../domain/product.ts';
import type {
  Coupon,
  Customer,
  Discount,
  OrderLimits,
  PartnerPolicy,
  ProductFlag,
  Tier,
} from '../service/partner/merchant-rules.ts';
import { tagsOf } from './partner/tags.ts';
import { SANDBOX_POLICY } from './partner-policy-data.ts';
import type { CouponEntry, PolicyFile, TierEntry, Traits } from './partner-policy-file.ts';

/** `name+spent-900@…` has already spent 900 USD this month. */
const SPENT_TAG = /^spent-(\d{1,9})$/;

/** A percentage with two decimals, without its point, is in basis points. */
const PERCENT_DECIMALS = 2;

const usd = (text: string) => parseDecimal(text, FACE_DECIMALS);
const bps = (percent: string) => Number(parseDecimal(percent, PERCENT_DECIMALS));

/** Creates a policy from the data of `readPolicy`, by default the sandbox's own. */
export function createSandboxPolicy(file: PolicyFile = SANDBOX_POLICY): PartnerPolicy {
  const coupons = new Map(file.coupons.map((entry) => [entry.code, couponOf(entry)]));
  const flags = file.flags.map((entry) => ({
    ...entry,
    faceValue: entry.value === undefined ? undefined : usd(entry.value),
  }));
  return {
    limits: limitsOf(file),
    customer: (email) => customerOf(file, email),
    coupon: (code) => coupons.get(code.toUpperCase()),
    flagsOf: (product, faceValue) =>
      flags
        .filter((entry) => isOf(product, entry))
        .filter((entry) => entry.faceValue === undefined || entry.faceValue === faceValue)
        .map(({ flag }): ProductFlag => flag),
  };
}

function limitsOf({ limits }: PolicyFile): OrderLimits {
  const fees = Object.entries(limits.fee_percent ?? {});
  return {
    maximumUsd: usd(limits.maximum_usd),
    maximumProducts: limits.maximum_products,
    unverifiedMonthlyUsd: usd(limits.unverified_monthly_usd),
    feeBps: Object.fromEntries(fees.map(([via, percent]) => [via, bps(percent)])),
  };
}

/** Matches brand and country; `flagsOf` also compares the value that was chosen. */
function isOf({ brand }: Product, entry: PolicyFile['flags'][number]): boolean {
  return (
    brand.name === entry.brand &&
    (entry.country === undefined || brand.countryCode === entry.country)
  );
}

/** Returns the account of an email address; where two tags disagree, the later one wins. */
function customerOf(file: PolicyFile, email: string | undefined): Customer {
  const tags = tagsOf(email ?? '');
  const traits: Traits = Object.assign({}, ...tags.map((tag) => traitsOf(file, tag)));
  const spent = tags.map((tag) => SPENT_TAG.exec(tag)?.[1]).find((text) => text !== undefined);
  return {
    tier: tierOf(file, traits.tier ?? file.default_tier),
    isSignedIn: traits.is_signed_in ?? false,
    verification: traits.verification ?? 'none',
    mustVerify: traits.must_verify ?? false,
    needsReview: traits.needs_review ?? false,
    spentElsewhereUsd: usd(String(Number(spent ?? '0'))),
  };
}

function traitsOf({ tags }: PolicyFile, tag: string): Traits {
  return Object.hasOwn(tags, tag) ? (tags[tag] ?? {}) : {};
}

function tierOf({ tiers }: PolicyFile, name: string): Tier {
  // `readPolicy` has checked all tiers; an unknown tier would allow no spending.
  const { daily_usd, monthly_usd }: TierEntry = tiers[name] ?? { daily_usd: '0', monthly_usd: '0' };
  return { name, dailyUsd: usd(daily_usd), monthlyUsd: usd(monthly_usd) };
}

function couponOf(entry: CouponEntry): Coupon {
  const { categories, kinds, brands, countries, stores, customers } = entry;
  const lists = { categories, kinds, brands, countries, stores, customers };
  return {
    code: entry.code,
    discount: discountOf(entry),
    usesPerCustomer: entry.uses_per_customer ?? 1,
    requiresLogin: entry.requires_login ?? false,
    usedElsewhere: {
      total: entry.used_elsewhere?.total ?? 0,
      byCustomer: entry.used_elsewhere?.by_customer ?? 0,
    },
    ...(entry.starts_at === undefined ? {} : { startsAtMs: Date.parse(entry.starts_at) }),
    ...(entry.ends_at === undefined ? {} : { endsAtMs: Date.parse(entry.ends_at) }),
    ...(entry.maximum_uses === undefined ? {} : { maximumUses: entry.maximum_uses }),
    ...(entry.minimum_usd === undefined ? {} : { minimumUsd: usd(entry.minimum_usd) }),
    ...withoutGaps(lists),
  };
}

function discountOf({ percent, usd: amount }: CouponEntry): Discount {
  return percent === undefined
    ? { kind: 'fixed', usd: usd(amount ?? '0') }
    : { kind: 'percentage', bps: bps(percent) };
}

/** Returns a copy without undefined entries. */
function withoutGaps<T extends object>(lists: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(lists).filter(([, list]) => list !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
