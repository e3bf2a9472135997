/**
 * The sandbox's rules of the partner API: sample data of ours, documented in
 * docs/inside/partner-rules.md.
 */
import { MAX_DELIVERIES_PER_ORDER } from '../contract/partner-orders.ts';
import type { PolicyFile } from './partner-policy-file.ts';

const percentage = (code: string, percent: string) => ({ code, percent });

export const SANDBOX_POLICY: PolicyFile = {
  limits: {
    maximum_usd: '5000',
    maximum_products: MAX_DELIVERIES_PER_ORDER,
    unverified_monthly_usd: '2000',
    fee_percent: { binance_pay: '1' },
  },
  tiers: {
    basic: { daily_usd: '1000', monthly_usd: '2500' },
    verified: { daily_usd: '5000', monthly_usd: '20000' },
    vip: { daily_usd: '25000', monthly_usd: '100000' },
  },
  default_tier: 'basic',
  tags: {
    signedin: { is_signed_in: true },
    kyc: { must_verify: true },
    'kyc-pending': { must_verify: true, verification: 'pending' },
    verified: { is_signed_in: true, verification: 'verified', tier: 'verified' },
    vip: { is_signed_in: true, verification: 'verified', tier: 'vip' },
    review: { needs_review: true },
  },
  // One brand shows each problem that a single denomination can have; its other denominations sell
  // normally.
  flags: [
    { flag: 'inactive', brand: 'eBay', country: 'us', value: '10' },
    { flag: 'out_of_stock', brand: 'eBay', country: 'us', value: '25' },
    { flag: 'withdrawn', brand: 'eBay', country: 'us', value: '50' },
    { flag: 'verification', brand: 'eBay', country: 'us', value: '100' },
    { flag: 'login', brand: 'Etsy', country: 'us' },
    { flag: 'limited', brand: 'Wayfair', country: 'us' },
    { flag: 'kyc', brand: 'Visa Virtual Gift Card', country: 'us' },
    { flag: 'kyc', brand: 'Virtual Prepaid Mastercard' },
  ],
  coupons: [
    percentage('WELCOME10', '10'),
    { code: 'FIVEOFF', usd: '5' },
    { code: 'GIFT100', percent: '100', minimum_usd: '10' },
    { ...percentage('LOGIN10', '10'), requires_login: true },
    { ...percentage('NOTYET10', '10'), starts_at: '2100-01-01T00:00:00Z' },
    { ...percentage('SPENT10', '10'), used_elsewhere: { total: 1, by_customer: 1 } },
    { ...percentage('SOLDOUT10', '10'), maximum_uses: 100, used_elsewhere: { total: 100 } },
    { ...percentage('EXPIRED10', '10'), ends_at: '2020-01-01T00:00:00Z' },
    { ...percentage('MIN100', '10'), minimum_usd: '100' },
    { ...percentage('FRIEND10', '10'), customers: ['friend@example.com'] },
    { ...percentage('GAMES10', '10'), categories: ['games'] },
    { ...percentage('ESIM10', '10'), kinds: ['esim'] },
    { ...percentage('STEAM10', '10'), brands: ['Steam'] },
    { ...percentage('BRAZIL10', '10'), countries: ['br'] },
    { ...percentage('KIOSK10', '10'), stores: ['scrip-kiosk'] },
  ],
};
