import { describe, expect, it } from 'vitest';
import {
  clearlyMeant,
  inCategory,
  likely,
  nearest,
  searchBrands,
} from '../../src/domain/product/catalog-query.ts';

const NAMES = [
  'Amazon.com',
  'AT&T',
  'Claro',
  'Claro Credits',
  'Éxito',
  'Google Play',
  "McDonald's",
  'Netflix',
  'PlayStation',
  'Spotify',
  'Steam',
  'The Home Depot',
];
const BRANDS = NAMES.map((name) => ({ name }));
const found = (text: string) => searchBrands(BRANDS, text).map(({ name }) => name);

describe('a search', () => {
  it.each([
    ['an exact name first, then those it begins', 'claro', ['Claro', 'Claro Credits']],
    ['a prefix', 'net', ['Netflix']],
    ['a prefix before a word, a word before a substring', 'pl', ['PlayStation', 'Google Play']],
    ['the beginning of a word', 'home dep', ['The Home Depot']],
    ['a substring', 'zon', ['Amazon.com']],
    ['without the spaces that people add', 'play station', ['PlayStation']],
    ['without the signs that people leave out', 'att', ['AT&T']],
    ['without apostrophes', 'mcdonalds', ["McDonald's"]],
    ['without accents', 'exito', ['Éxito']],
    ['with accents where there are none', 'stéam', ['Steam']],
    ['in spite of a swapped pair', 'spotfiy', ['Spotify']],
    ['in spite of a missing letter', 'netflx', ['Netflix']],
    ['in spite of a wrong letter in a word of several', 'credids', ['Claro Credits']],
    ['in spite of a typo at the beginning of a longer name', 'amezon', ['Amazon.com']],
    ['without the vowels', 'amzn', ['Amazon.com']],
    ['in shorthand', 'nflx', ['Netflix']],
    ['in shorthand, which begins as the name does', 'mzn', []],
    ['nothing for what is like no name', 'qqqqqqqq', []],
    ['nothing for one wrong letter of two', 'zz', []],
    ['nothing for signs alone', '!?', []],
  ])('finds %s', (_what, text, names) => {
    expect(found(text)).toEqual(names);
  });

  it('leaves out names that are twice as far away as the nearest', () => {
    const names = ['DAZN', 'Amazon.com', 'Amazon Prime'].map((name) => ({ name }));
    const near = clearlyMeant(searchBrands(names, 'amazn'), 'amazn').map(({ name }) => name);
    expect(near).toEqual(['Amazon.com', 'Amazon Prime']);
  });

  it('finds everything, in its order, when nothing is asked for', () => {
    expect(found('  ')).toEqual(NAMES);
  });
});

describe('the nearest names', () => {
  it('are the likely ones, best first and no more than asked for', () => {
    expect(nearest(NAMES, 'Amazn.com', 3)).toEqual(['Amazon.com']);
    expect(nearest(NAMES, 'claro', 1)).toEqual(['Claro']);
  });

  it('stand once, and are none where nothing was typed or nothing is near', () => {
    expect(nearest(['Steam', 'Steam'], 'steam', 3)).toEqual(['Steam']);
    expect(nearest(NAMES, '', 3)).toEqual([]);
    expect(nearest(NAMES, 'qqqqqqqq', 3)).toEqual([]);
  });
});

describe('the likely names', () => {
  const COUNTRIES = ['Cook Islands', 'France', 'French Guiana', 'Spain', 'United Kingdom'];
  it.each([
    ['foo', []],
    ['Frnce', ['France', 'French Guiana']],
    ['spane', ['Spain']],
    ['Xrance', ['France']],
    ['kingdom', ['United Kingdom']],
    ['cok', ['Cook Islands']],
  ])('of %j are %j', (text, names) => expect(likely(COUNTRIES, text, 5)).toEqual(names));
});

it('a category keeps its brands alone, in their order', () => {
  const brands = [
    { name: 'a', category: 'games' },
    { name: 'b', category: 'food' },
    { name: 'c', category: 'games' },
  ];
  expect(inCategory(brands, 'games').map(({ name }) => name)).toEqual(['a', 'c']);
});
