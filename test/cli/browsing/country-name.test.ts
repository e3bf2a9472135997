import { expect, it } from 'vitest';
import { countryName } from '../../../src/api/nearest-country.ts';

it.each([
  ['es', 'de', 'Germany', 'Alemania'],
  ['es', 'XK', 'Kosovo', 'Kosovo'],
  ['en', 'de', 'Germany (as the host has it)', 'Germany (as the host has it)'],
  ['es', 'qq', 'Nowhere', 'Nowhere'],
] as const)('in %s, %s that the host calls %s is %s', (lang, code, name, shown) => {
  expect(countryName({ code, name }, lang)).toBe(shown);
});
