/** What is offered while one types. */
import { describe, expect, it } from 'vitest';
import { narrowOptions } from '../../src/domain/wizard-narrow.ts';
import type { Answers, StepKey, WizardHost } from '../../src/domain/wizard-step.ts';
import { wizardHost } from '../support/wizard-host.ts';

const GIFT: Answers = { product_type: 'giftcard', country: 'US', brand: 'Uber Rides' };

describe('a text that is typed', () => {
  const rows: readonly (readonly [step: StepKey, text: string, offered: readonly string[]])[] = [
    ['product_type', '', ['giftcard', 'mobile_topup']],
    ['product_type', 'top', ['mobile_topup']],
    ['country', '', ['United States', 'Brazil', 'United Kingdom', 'Ukraine']],
    ['country', 'uk', ['United Kingdom', 'Ukraine']],
    ['country', 'U.S.A.', ['United States']],
    ['country', 'br', ['Brazil']],
    ['country', 'ua', ['Ukraine']],
    ['country', 'brasil', ['Brazil']],
    ['country', 'Atlantis', []],
    ['brand', 'ube', ['Uber Eats', 'Uber Rides']],
    ['brand', 'amazom', ['Amazon.com']],
    ['brand', 'sold out', []],
    ['amount', '', ['10 USD', '1 USD', '11 USD']],
    ['amount', '6', ['6 USD']],
    ['amount', '1', ['1 USD', '10 USD', '11 USD']],
    ['amount', '$10', ['10 USD']],
    ['amount', '7', []],
    ['coin', 'us', ['USDC']],
    ['coin', 'dash', []],
  ];
  it.each(rows)('at %s, "%s", may mean %j', async (step, text, offered) => {
    expect(await narrowOptions(wizardHost, { step, answers: GIFT }, text)).toEqual(offered);
  });

  it('is looked up in a list of ten thousand that is asked for once', async () => {
    const asked: string[] = [];
    const brands = Array.from({ length: 10_000 }, (_, index) => ({
      name: `Brand ${index}`,
      isOutOfStock: false,
    }));
    const host: WizardHost = {
      ...wizardHost,
      brands: async (country) => {
        asked.push(country);
        return brands;
      },
    };
    const found = await narrowOptions(host, { step: 'brand', answers: GIFT }, 'brand 9999');
    expect(found).toEqual(['Brand 9999']);
    expect(asked).toHaveLength(1);
  });
});
