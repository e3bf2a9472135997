/**
 * For each problem code of the partner API, a validation request that returns only that code in the
 * sandbox.
 */
import type { ProblemCode, SuspensionCode } from '../../src/contract/codes.ts';
import type { WirePayment, WireValidationRequest } from '../../src/contract/partner-orders.ts';

export interface ProblemExample {
  readonly code: ProblemCode | SuspensionCode;
  readonly request: WireValidationRequest;
}

interface Buy {
  readonly brand: string;
  readonly denomination: string;
  readonly value?: string;
  readonly to?: string;
}

interface Choices {
  readonly email?: string;
  readonly payment?: WirePayment;
  readonly buys?: readonly Buy[];
  readonly coupon?: string;
}

const BUYER = 'buyer@example.com';
const BENEFICIARY = 'friend@example.com';

const buy = (brand: string, denomination: string, to?: string): Buy => ({
  brand,
  denomination,
  ...(to === undefined ? {} : { to }),
});
const range = (value: string): Buy => ({ brand: 'Amazon.com', denomination: 'range', value });
const wallet = (coin: string, network: string): WirePayment => ({
  type: 'via',
  payment_via: 'user_wallet',
  coin,
  network,
});

const AMAZON = buy('Amazon.com', '25 USD');
const SOLANA_USDC = wallet('USDC', 'Solana');

const times = (count: number, what: Buy): readonly Buy[] =>
  Array.from({ length: count }, () => what);

function example(code: ProblemExample['code'], choices: Choices): ProblemExample {
  const { email = BUYER, payment = SOLANA_USDC, buys = [AMAZON], coupon } = choices;
  return {
    code,
    request: {
      user: { email },
      payment,
      deliveries: buys.map(({ brand, denomination, value, to }) => ({
        brand_name: brand,
        country_code: 'US',
        denomination,
        ...(value === undefined ? {} : { product_value: value }),
        beneficiary_account: to ?? BENEFICIARY,
      })),
      ...(coupon === undefined ? {} : { coupon_code: coupon }),
    },
  };
}

export const PROBLEM_EXAMPLES: readonly ProblemExample[] = [
  example('AMOUNT_LESS_THEN_MINIMUM_ALLOWED', {
    payment: wallet('USDC', 'Ethereum'),
    buys: [range('1')],
  }),
  example('MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED', {
    email: 'buyer+vip@example.com',
    buys: times(3, range('2000')),
  }),
  example('DAILY_SPENDING_LIMIT_EXCEEDED', { buys: [range('1100')] }),
  example('MONTHLY_SPENDING_LIMIT_EXCEEDED', {
    email: 'buyer+verified+spent-19900@example.com',
    buys: [range('200')],
  }),
  example('PRODUCT_COUNT_EXCEEDED', { buys: times(11, AMAZON) }),
  example('MULTIPLE_LIMITED_PRODUCT_SAME_ORDER', { buys: times(2, buy('Wayfair', '25 USD')) }),
  example('NOT_AVAILABLE_PRODUCT', { buys: [buy('eBay', '50 USD')] }),
  example('OUT_OF_STOCK', { buys: [buy('eBay', '25 USD')] }),
  example('NOT_ACTIVE', { buys: [buy('eBay', '10 USD')] }),
  example('INVALID_BENEFICIARY_ACCOUNT', { buys: [buy('Amazon.com', '25 USD', '+14155550123')] }),
  example('NOT_ALLOWED_PAYMENT_VIA', {
    payment: { type: 'via', payment_via: 'credit_card', coin: 'USDC', network: 'Solana' },
  }),
  example('UNSUPPORTED_PROTOCOL_COIN_COMBINATION', { payment: wallet('BTC', 'Solana') }),
  example('LOGIN_REQUIRED', { buys: [buy('Etsy', '25 USD')] }),
  example('COUPON_REQUIRES_LOGIN', { coupon: 'LOGIN10' }),
  example('COUPON_NOT_FOUND', { coupon: 'NOSUCH10' }),
  example('COUPON_NOT_ACTIVE', { coupon: 'NOTYET10' }),
  example('COUPON_ALREADY_SPENT', { coupon: 'SPENT10' }),
  example('COUPON_MAX_USAGE_REACHED', { coupon: 'SOLDOUT10' }),
  example('COUPON_EXPIRED', { coupon: 'EXPIRED10' }),
  example('COUPON_BELOW_MIN_AMOUNT', { coupon: 'MIN100' }),
  example('COUPON_NOT_VALID_FOR_USER', { coupon: 'FRIEND10' }),
  example('COUPON_NOT_VALID_FOR_CATEGORY', { coupon: 'GAMES10' }),
  example('COUPON_NOT_VALID_FOR_KIND', { coupon: 'ESIM10' }),
  example('COUPON_NOT_VALID_FOR_BRAND', { coupon: 'STEAM10' }),
  example('COUPON_NOT_VALID_FOR_COUNTRY', { coupon: 'BRAZIL10' }),
  example('COUPON_NOT_VALID_FOR_STORE', { coupon: 'KIOSK10' }),
  example('KYC_MISSING', { buys: [buy('Visa Virtual Gift Card', '25 USD')] }),
  example('KYC_PENDING', { email: 'buyer+kyc-pending@example.com' }),
  example('VERIFICATION_REQUIRED', { buys: [buy('eBay', '100 USD')] }),
  example('SUSPENDED_COIN', { payment: wallet('DASH', 'Mainnet') }),
  example('SUSPENDED_NETWORK', { payment: wallet('USDC', 'Optimism') }),
];
