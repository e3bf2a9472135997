/** Deliveries of a request become lines: what is found, what is wrong, and how many. */
import { describe, expect, it } from 'vitest';
import type {
  WireDeliverable,
  WireRequestedDelivery,
} from '../../../src/contract/partner-orders.ts';
import { parseDecimal } from '../../../src/domain/money/money.ts';
import { checkBeneficiary } from '../../../src/domain/product/beneficiary.ts';
import { type LineDeps, orderLines } from '../../../src/service/partner/rules/lines.ts';
import { smallCatalog } from '../../support/small-catalog.ts';

const deps: LineDeps = {
  catalog: smallCatalog,
  rates: {
    version: 'fixed',
    picoUsdPer: (currency) => ({ USD: 10n ** 12n, BRL: 2n * 10n ** 11n })[currency],
  },
  policy: { flagsOf: ({ label }) => (label === '50 USD' ? ['limited'] : []) },
  checkBeneficiary: (kind, account) => checkBeneficiary(kind, account),
};

const gift: WireDeliverable = {
  brand_name: 'Amazon.com',
  country_code: 'US',
  denomination: '25 USD',
  beneficiary_account: 'friend@example.com',
};

const lineOf = async (delivery: WireRequestedDelivery) => (await orderLines(deps, [delivery]))[0];

describe('a delivery', () => {
  it.each<[name: string, change: Partial<WireDeliverable>, productId: string, value: string]>([
    ['by its label', {}, 'amazon-25', '25'],
    ['by its bare value', { denomination: '50' }, 'amazon-50', '50'],
    ['by its value with decimals', { denomination: '25.00' }, 'amazon-25', '25'],
    ['with its value repeated', { product_value: '25' }, 'amazon-25', '25'],
    ['with an empty value', { product_value: '' }, 'amazon-25', '25'],
    ['of a range', { denomination: 'range', product_value: '7.5' }, 'amazon-range', '7.5'],
    [
      'of a range, as a number',
      { denomination: 'range', product_value: 7.5 },
      'amazon-range',
      '7.5',
    ],
  ])('names a product %s', async (_name, change, productId, value) => {
    const line = await lineOf({ ...gift, ...change });
    expect(line?.goods?.product.productId).toBe(productId);
    expect(line?.goods?.faceValue).toBe(parseDecimal(value, 6));
  });

  it.each<[fault: string, change: Partial<WireDeliverable>]>([
    ['Nobody is not sold in US', { brand_name: 'Nobody' }],
    ['Amazon.com is not sold in BR', { country_code: 'br' }],
    ['Amazon.com has no denomination 26 USD', { denomination: '26 USD' }],
    ['needs a face value', { denomination: 'range' }],
    ['is outside the range', { denomination: 'range', product_value: '501' }],
    ['is not a multiple of the step', { denomination: 'range', product_value: '6' }],
    ['is not a plain decimal number', { denomination: 'range', product_value: '1e2' }],
    ['has the fixed face value 25 USD', { product_value: '30' }],
  ])('that names none says: %s', async (fault, change) => {
    const line = await lineOf({ ...gift, ...change });
    expect(line?.goods).toBeUndefined();
    expect(line?.goodsFault).toContain(fault);
  });

  it('is worth its face value in dollars, and costs the margin more', async () => {
    const line = await lineOf({
      ...gift,
      brand_name: 'Claro Credits',
      country_code: 'BR',
      denomination: '20 BRL',
      beneficiary_account: '+5511987654321',
    });
    expect(line?.goods?.valueUsd).toBe(parseDecimal('4', 6));
    expect(line?.goods?.priceUsd).toBe(parseDecimal('4.04', 6));
    expect(line).toMatchObject({ countryCode: 'br', beneficiary: '+5511987654321' });
  });

  it('carries what the policy says of its product', async () => {
    expect((await lineOf({ ...gift, denomination: '50 USD' }))?.goods?.flags).toEqual(['limited']);
  });

  it.each([
    ['+14155550123', /phone number/],
    ['friend', /has no @/],
  ])('for %s says what is wrong with it', async (account, fault) => {
    const line = await lineOf({ ...gift, beneficiary_account: account });
    expect(line?.beneficiary).toBe(account);
    expect(line?.beneficiaryFault).toMatch(fault);
  });
});
