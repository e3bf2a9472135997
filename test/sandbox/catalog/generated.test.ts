import { describe, expect, it } from 'vitest';
import { CATEGORIES, CATEGORY_KINDS, FAMILIES } from '../../../src/domain/product/categories.ts';
import { createGeneratedCatalog } from '../../../src/sandbox/catalog/generated.ts';
import { sandboxRates } from '../../../src/sandbox/rates.ts';

const catalog = createGeneratedCatalog({ seed: 'scrip' });
const sold = catalog.countries.filter((country) => country.isSold);
const brands = sold.flatMap(({ code }) => catalog.brands(code));
const products = sold.flatMap(({ code }) => catalog.products(code));

const namesIn = (code: string) => catalog.brands(code).map((brand) => brand.name);
const repeated = (texts: readonly string[]) => texts.length - new Set(texts).size;

describe('the countries', () => {
  it('are 233, and between 170 and 190 of them are sold in', () => {
    expect(catalog.countries).toHaveLength(233);
    expect(repeated(catalog.countries.map(({ code }) => code))).toBe(0);
    expect(sold.length).toBeGreaterThanOrEqual(170);
    expect(sold.length).toBeLessThanOrEqual(190);
  });

  it('have lowercase codes, English names and the currencies of the country', () => {
    const byCode = new Map(catalog.countries.map((country) => [country.code, country]));
    expect(byCode.get('xk')).toEqual({ code: 'xk', name: 'Kosovo', currency: 'EUR', isSold: true });
    expect(byCode.get('br')).toMatchObject({ name: 'Brazil', currency: 'BRL' });
    expect(byCode.get('jp')).toMatchObject({ name: 'Japan', currency: 'JPY' });
    for (const { code, name, currency } of catalog.countries) {
      expect(code).toMatch(/^[a-z]{2}$/);
      expect(name).not.toBe(code.toUpperCase());
      expect(currency).toMatch(/^[A-Z]{3}$/);
    }
    expect(repeated(catalog.countries.map(({ name }) => name))).toBe(0);
  });

  it('that are not sold in, or are none, have no brands and no products', () => {
    for (const code of ['va', 'gl', 'aq', 'US', 'zz', '', '__proto__', 'constructor']) {
      expect(catalog.brands(code)).toEqual([]);
      expect(catalog.products(code)).toEqual([]);
    }
  });
});

describe('the brands', () => {
  it('are about 10,000, counted by country and counted by name', () => {
    const names = new Set(brands.map((brand) => brand.name));
    for (const count of [brands.length, names.size]) {
      expect(count).toBeGreaterThanOrEqual(9_500);
      expect(count).toBeLessThanOrEqual(11_000);
    }
  });

  it.each([
    ['us', ['Amazon.com', 'Steam', 'Netflix', 'Spotify', 'Apple', 'Uber', 'Airbnb', 'AT&T']],
    ['us', ['Google Play', 'PlayStation', 'Xbox', 'eSIM', 'Walmart', 'DoorDash']],
    ['br', ['Claro Credits', 'Claro', 'Vivo', 'TIM', 'Amazon.com.br', 'Netflix', 'iFood']],
    ['de', ['Amazon.de', 'Zalando', 'Vodafone', 'Spotify', 'eSIM']],
    ['gb', ['Amazon.co.uk', 'Tesco', 'Vodafone', 'Uber Eats']],
    ['fr', ['Amazon.fr', 'Orange', 'Fnac']],
    ['es', ['Amazon.es', 'Movistar']],
    ['ng', ['Airtel', 'Vodafone', 'Netflix', 'eSIM']],
    ['in', ['Amazon.in', 'Airtel', 'Flipkart']],
    ['xk', ['eSIM', 'Vodafone']],
  ])('that people try in %s are there: %j', (code, wanted) => {
    expect(wanted.filter((name) => !namesIn(code).includes(name))).toEqual([]);
  });

  it('have one row per country, in the order of their names', () => {
    for (const { code } of sold) {
      const names = namesIn(code).map((name) => name.toLowerCase());
      expect(repeated(names)).toBe(0);
      expect(names).toEqual(names.toSorted());
    }
    expect(repeated(brands.map((brand) => brand.brandId))).toBe(0);
  });

  it('cover every category in the United States, each with its kind and family', () => {
    const found = new Set(catalog.brands('us').map((brand) => brand.category));
    expect(CATEGORIES.filter((category) => !found.has(category))).toEqual([]);
    for (const brand of brands) {
      const kind = CATEGORY_KINDS[brand.category as keyof typeof CATEGORY_KINDS];
      expect(brand).toMatchObject({ kind, family: FAMILIES[kind] });
    }
  });

  it('bear no rude names', () => {
    const rude =
      /moron|anal|anus|rape|nazi|cunt|fuck|shit|puta|puto|pene|caca|culo|fick|arsch|merd|negr|slut|porn|nigg|kill|terror|fag|penis|malari|mierd|maric|pinga|suka|kurwa|pizd|satan/i;
    expect(brands.map((brand) => brand.name).filter((name) => rude.test(name))).toEqual([]);
  });
});

describe('the products', () => {
  it('are found by their id, and by no other', () => {
    for (const product of products.filter((_, index) => index % 97 === 0)) {
      expect(catalog.product(product.productId)).toBe(product);
    }
    const known = products[0]?.productId ?? '';
    const others = ['', 'x', known.toUpperCase(), `${known.slice(0, -1)}z`, known.slice(0, -2)];
    for (const id of [...others, '00000000-0000-8000-8000-000000000000']) {
      expect(catalog.product(id)).toBeUndefined();
    }
  });

  it('have ids that are UUIDs of version 8 and stand once', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(products.filter(({ productId }) => !uuid.test(productId))).toEqual([]);
    expect(repeated(products.map(({ productId }) => productId))).toBe(0);
    expect(brands.filter(({ brandId }) => !uuid.test(brandId))).toEqual([]);
  });

  it('have labels that are unique within their brand', () => {
    const tagged = products.map(({ brand, label }) => `${brand.brandId} ${label}`);
    expect(repeated(tagged)).toBe(0);
  });

  it('lie within the bounds that their brand shows, and ranges can be walked to the end', () => {
    for (const { brand, denomination } of products) {
      const [low, high] = denomination.isRange
        ? [denomination.min, denomination.max]
        : [denomination.faceValue, denomination.faceValue];
      expect(low > 0n && low >= brand.minFaceValue && high <= brand.maxFaceValue).toBe(true);
      if (denomination.isRange) {
        expect(low < high && (high - low) % denomination.step === 0n).toBe(true);
      }
    }
  });

  it('are priced in currencies that the sandbox has a rate for', () => {
    const currencies = [...new Set(brands.map((brand) => brand.currency))];
    expect(currencies.length).toBeGreaterThan(100);
    expect(currencies.filter((code) => sandboxRates.picoUsdPer(code) === undefined)).toEqual([]);
  });

  it('are of one brand, or of one family whatever its case, when asked so', () => {
    const amazon = catalog.products('us', { brandName: 'Amazon.com' });
    expect(new Set(amazon.map(({ brand }) => brand.name))).toEqual(new Set(['Amazon.com']));
    const esims = catalog.products('us', { family: 'esim' });
    expect(new Set(esims.map(({ brand }) => brand.kind))).toEqual(new Set(['esim']));
    expect(catalog.products('us', { brandName: 'amazon.com' })).toEqual([]);
  });

  it.each([
    ['us', 'Amazon.com', ['10 USD', '25 USD', '50 USD', '100 USD', '1-2000 USD']],
    ['jp', 'Amazon.co.jp', ['1000 JPY', '2500 JPY', '5000 JPY', '10000 JPY', '100-200000 JPY']],
    ['in', 'Flipkart', ['1000 INR', '2500 INR', '5000 INR', '10000 INR', '100-200000 INR']],
  ])('in %s are sized to the currency, such as those of %s', (code, brandName, labels) => {
    expect(catalog.products(code, { brandName }).map(({ label }) => label)).toEqual(labels);
  });

  it('of eSIM are data plans in dollars in every country', () => {
    for (const { code } of sold) {
      const plans = catalog.products(code, { brandName: 'eSIM' });
      expect(plans.map(({ label }) => label)).toContain('1 GB 7 days');
      expect(plans.every(({ brand }) => brand.currency === 'USD' && brand.kind === 'esim')).toBe(
        true,
      );
      expect(plans.every(({ denomination }) => !denomination.isRange)).toBe(true);
    }
  });
});

describe('the seed', () => {
  it('gives the same catalog again, whatever country is asked for first', () => {
    const again = createGeneratedCatalog({ seed: 'scrip' });
    expect(again.products('xk')).toEqual(catalog.products('xk'));
    expect(again.products('us')).toEqual(catalog.products('us'));
    expect(again.version).toBe(catalog.version);
  });

  it('gives these goods in edition 2: when this changes, so must the edition', () => {
    const shown = catalog.products('bt').slice(0, 6);
    const lines = shown.map(({ productId, name }) => `${productId} ${name}`);
    expect([catalog.version, ...lines].join('\n')).toMatchSnapshot();
  });
});
