/** Countries as people type them. */
import { describe, expect, it } from 'vitest';
import { listCountries } from '../../src/domain/product/countries.ts';
import { countryCode, meantCountries } from '../../src/domain/product/country.ts';

const countries = listCountries().map(({ code, name }) => ({ code, name }));
const meant = (text: string) => meantCountries(countries, text).map(({ code }) => code);

describe('a country', () => {
  it.each([
    ['us', ['us']],
    [' US ', ['us']],
    ['usa', ['us']],
    ['U.S.A.', ['us']],
    ['United States', ['us']],
    ['uk', ['gb']],
    ['United Kingdom', ['gb']],
    ['united-kingdom', ['gb']],
    ['Deutschland', ['de']],
    ['Brasil', ['br']],
    ['españa', ['es']],
    ['Espana', ['es']],
    ['日本', ['jp']],
    ['holland', ['nl']],
    ['ua', ['ua']],
    ['United', []],
    ['Uk', ['gb']],
    ['zz', []],
    ['', []],
    ['!', []],
    ['constructor', []],
  ])('named "%s" is %j', (text, codes) => {
    expect(meant(text)).toEqual(codes);
  });

  it('has a code without a list, where the text is one or a common word', () => {
    expect(['US', 'u.k.', 'Brazil', '12', 'toString'].map(countryCode)).toEqual([
      'us',
      'gb',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
