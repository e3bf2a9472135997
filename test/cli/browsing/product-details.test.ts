/** How a product is redeemed, as the confirmation of an order says it. */
import { describe, expect, it } from 'vitest';
import { NOTHING_SAID } from '../../../src/api/catalog-reader.ts';
import { redeemText } from '../../../src/cli/browsing/product-details.ts';

const said = (howToRedeem: string, regions: readonly string[] = ['us']) =>
  String(redeemText({ ...NOTHING_SAID, howToRedeem, regions }, 'en'));

describe('what is told of redeeming', () => {
  it('is whole where it is short', () => {
    const steps =
      'Go to https://amazon.com/redeem, sign in, enter the code and press Apply to add it.';
    // Without a full stop before the dot that separates.
    expect(said(steps)).toBe(`${steps.slice(0, -1)} · United States`);
  });

  it('keeps whole sentences and the address where it is long', () => {
    const story = 'Sign in to your account. Open the page of gift cards and enter the code.';
    const long = `${story} ${'Cards are not refunded, whatever the reason. '.repeat(6)}Redeem at https://brand.example/redeem.`;
    const text = said(long);
    expect(text.startsWith(story)).toBe(true);
    expect(text).toContain('reason. … https://brand.example/redeem · United States');
    expect(text.length).toBeLessThan(220);
  });

  it('counts many countries, with a few as examples', () => {
    const many = ['de', 'fr', 'es', 'it', 'pt', 'pl', 'at'];
    expect(said('Scan it.', many)).toBe('Scan it · 7 countries, such as Germany, France, Spain');
    expect(said('Scan it.', many.slice(1))).toContain('Poland, Austria');
  });

  it('of one endless sentence ends at a word', () => {
    expect(said('word '.repeat(100))).toMatch(/ word… · United States$/);
  });
});
