/** What is told of an order before the service is asked: each row breaks one thing. */
import { describe, expect, it } from 'vitest';
import type { CartLine } from '../../../src/api/partner/cart.ts';
import { localProblems, validate } from '../../../src/api/partner/validate.ts';
import type { Reply } from '../../../src/contract/fetch.ts';
import type { WireProductsForBrand } from '../../../src/contract/partner-catalog.ts';
import type { WireValidationRequest } from '../../../src/contract/partner-orders.ts';
import type { PhoneParser } from '../../../src/domain/product/beneficiary.ts';
import { skippingClock } from '../../support/manual-clock.ts';
import { jsonReply, scriptedFetch } from '../../support/scripted-fetch.ts';

const brand: Omit<WireProductsForBrand, 'products'> = {
  country_code: 'US',
  category: 'e-commerce',
  additional_categories: [],
  kind: 'giftcard',
  default_denomination: '25 USD',
  family: 'Gift Cards',
  brand_id: 'b1',
  brand: 'Acme',
  is_out_of_stock: false,
  logo_url: 'https://shop.example/a.webp',
  logo_base_url: 'https://shop.example/a',
  product_tc: '',
  redeem_method: [],
  product_type: 'giftcard',
};
const fixed: CartLine = {
  productId: 'p1',
  to: 'friend@example.com',
  quantity: 1,
  country: 'us',
  brand,
  product: {
    product_id: 'p1',
    is_dynamic: false,
    denomination: '25 USD',
    face_value: { currency_code: 'USD', amount: { price: '25' } },
    coin: 'USDC',
    payment_method: 'USDC-SOL',
    delivery_type: 'by_email',
    points: '25',
    product_type: 'giftcard',
  },
};
const { denomination: _none, ...rest } = fixed.product;
const range: CartLine = {
  ...fixed,
  value: '25',
  product: {
    ...rest,
    is_dynamic: true,
    range: { min: 5, max: 500, currency: 'USD', step_size: 2.5, default: '5' },
  },
};
const topUp: CartLine = {
  ...fixed,
  to: '+14155550123',
  product: { ...fixed.product, product_type: 'mobile_topup' },
};

const parsePhone: PhoneParser = async (text) =>
  /^\+1\d{10}$/.test(text)
    ? { number: text, countryCode: 'us', isOf: (code) => code === 'us' }
    : undefined;
const codesOf = async (lines: readonly CartLine[]) =>
  (await localProblems(lines, parsePhone)).map(({ problem }) => problem);

it.each([
  ['a fixed product', fixed],
  ['a fixed product at its own value', { ...fixed, value: '25.00' }],
  ['a range product', range],
  ['a top-up', topUp],
])('%s with nothing wrong has no problem', async (_what, line) => {
  await expect(codesOf([line])).resolves.toEqual([]);
});

describe('a problem', () => {
  it.each<readonly [string, string, CartLine]>([
    ['a phone for a gift card', 'INVALID_BENEFICIARY_ACCOUNT', { ...fixed, to: '+14155550123' }],
    ['an e-mail for a top-up', 'INVALID_BENEFICIARY_ACCOUNT', { ...topUp, to: 'a@example.com' }],
    ['a number that no country has', 'INVALID_BENEFICIARY_ACCOUNT', { ...topUp, to: '+999' }],
    ['another value of a fixed product', 'NOT_AVAILABLE_PRODUCT', { ...fixed, value: '26' }],
    ['no value of a range product', 'NOT_AVAILABLE_PRODUCT', { ...range, value: undefined }],
    ['a value below the range', 'NOT_AVAILABLE_PRODUCT', { ...range, value: '4.99' }],
    ['a value above the range', 'NOT_AVAILABLE_PRODUCT', { ...range, value: '500.01' }],
    ['a value off the step', 'NOT_AVAILABLE_PRODUCT', { ...range, value: '6' }],
    ['a value that is no number', 'NOT_AVAILABLE_PRODUCT', { ...range, value: '1e2' }],
    ['eleven products', 'PRODUCT_COUNT_EXCEEDED', { ...fixed, quantity: 11 }],
  ])('is %s', async (_what, code, line) => {
    await expect(codesOf([line])).resolves.toEqual([code]);
  });

  it('of one product is told beside those of the others', async () => {
    const lines = [
      { ...fixed, to: 'nobody' },
      { ...range, value: '6' },
    ];
    await expect(localProblems(lines, parsePhone)).resolves.toEqual([
      {
        problem: 'NOT_AVAILABLE_PRODUCT',
        moreDetails: {
          field: 'product_value',
          deliveries: [
            {
              index: 1,
              brand_name: 'Acme',
              reason: '6 is not a multiple of the step; nearest: 5 and 7.5',
            },
          ],
        },
      },
      {
        problem: 'INVALID_BENEFICIARY_ACCOUNT',
        moreDetails: { deliveries: [expect.objectContaining({ index: 0 })] },
      },
    ]);
  });
});

describe('the service', () => {
  const request: WireValidationRequest = {
    payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
    deliveries: [
      {
        brand_name: 'Acme',
        country_code: 'US',
        denomination: '25 USD',
        beneficiary_account: 'friend@example.com',
      },
    ],
  };
  const hostOf = (answer: Reply) => ({
    ...scriptedFetch(answer),
    apiUrl: 'https://api.example',
    applicationId: 'shop',
    version: '1.2.3',
    countryCode: 'us',
    clock: skippingClock(),
  });

  it('says last what is wrong, with our own problems first', async () => {
    const said = {
      coin: 'USDC',
      coin_amount: '25.25',
      original_coin_amount: '25.25',
      deliveries: [],
      payment_fee: {},
      points: {},
      summary: {
        coin_amount_before_discount: '25.25',
        coin_amount_after_discount: '25.25',
        coin_amount_to_pay_in_crypto: '25.25',
        coin_amount_to_pay_via_nft: '0',
        coin_amount_to_pay_via_coupon: '0',
      },
      is_payment_processor_external: false,
      problems: [{ problem: 'COUPON_NOT_FOUND' }, { problem: 'INVALID_BENEFICIARY_ACCOUNT' }],
    };
    const host = hostOf(jsonReply(200, said));
    const { problems } = await validate(host, [{ ...fixed, to: 'x' }], request, parsePhone);
    expect(problems.map(({ problem }) => problem)).toEqual([
      'INVALID_BENEFICIARY_ACCOUNT',
      'COUPON_NOT_FOUND',
    ]);
    expect(host.asked[0]?.init.headers).toMatchObject({
      'x-cr-application': 'shop',
      'x-cr-version': '1.2.3',
      'user-agent': 'scrip/1.2.3',
      'x-country-iso-code': 'US',
    });
  });

  it('tells a suspension, which is a problem here', async () => {
    const error = { status: 403, detail: 'SUSPENDED_COIN', moreDetails: { coin: 'DASH' } };
    const { problems } = await validate(
      hostOf(jsonReply(403, error)),
      [fixed],
      request,
      parsePhone,
    );
    expect(problems).toEqual([{ problem: 'SUSPENDED_COIN', moreDetails: { coin: 'DASH' } }]);
  });

  it('need not answer where something is wrong already', async () => {
    const host = hostOf(jsonReply(400, { status: 400, detail: 'INVALID_REQUEST' }));
    const { problems } = await validate(host, [{ ...fixed, to: 'x' }], request, parsePhone);
    expect(problems).toHaveLength(1);
    await expect(validate(host, [fixed], request, parsePhone)).rejects.toMatchObject({
      code: 'MERCHANT_REFUSED',
    });
  });
});
