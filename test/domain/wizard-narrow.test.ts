/** What is offered while one types. */
import { describe, expect, it } from 'vitest';
import { advance } from '../../src/domain/wizard/wizard.ts';
import type { Answers, StepKey, WizardHost } from '../../src/domain/wizard/wizard-step.ts';
import { narrowOptions } from '../../src/domain/wizard/wizard-steps.ts';
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
    ['country', 'foo', []],
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

describe('a country with another name', () => {
  const host: WizardHost = {
    ...wizardHost,
    countries: async () => [
      { code: 'us', name: 'Estados Unidos', other: 'United States' },
      { code: 'br', name: 'Brasil', other: 'Brazil' },
      { code: 'ck', name: 'Islas Cook', other: 'Cook Islands' },
    ],
  };
  const country = { step: 'country', answers: { product_type: 'giftcard' } } as const;

  it.each([
    ['estados', ['Estados Unidos']],
    ['United', ['Estados Unidos']],
    ['brazil', ['Brasil']],
    ['foo', []],
  ])('is found by either, under the one that is shown: %j', async (text, offered) => {
    expect(await narrowOptions(host, country, text)).toEqual(offered);
  });

  it('is taken by either', async () => {
    for (const text of ['Estados Unidos', 'united states', 'US']) {
      const reply = await advance(host, country.answers, { answer: text });
      expect(reply).toMatchObject({ kind: 'continue', answers: { country: 'US' } });
    }
  });

  it('is suggested by the one that is shown', async () => {
    const reply = await advance(host, country.answers, { answer: 'Brazzil' });
    expect(reply).toMatchObject({ kind: 'error', suggestions: ['Brasil'] });
  });
});
