import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/domain/money/money.ts';
import {
  brandsMeant,
  onlyMeant,
  productsMeant,
  type Sold,
} from '../../src/domain/product/product-match.ts';

const value = (text: string) => parseDecimal(text, 6);

function product(id: string, brand: string, min: string, max = min): Sold {
  const label = min === max ? `${min} USD` : `${min}-${max} USD`;
  return { id, brand, name: `${brand} ${label}`, values: { min: value(min), max: value(max) } };
}

describe('the brands that words mean', () => {
  const BRANDS = [
    'Uber Eats',
    'Uber',
    'Amazon.com',
    'Amazon Prime',
    'PlayStation',
    'Forever 21',
    'Café Rio',
  ];
  const names = (words: string) =>
    brandsMeant(
      BRANDS.map((name) => ({ name })),
      words,
    ).map(({ name }) => name);

  it.each([
    ['one of exactly that name beats those that begin so', 'uber', ['Uber']],
    ['case and a trailing .com do not count', 'AMAZON', ['Amazon.com']],
    ['with the .com it is the same', 'amazon.com', ['Amazon.com']],
    ['punctuation, spaces and accents do not count', 'cafe-rio', ['Café Rio']],
    ['a name of several words without its space', 'play station', ['PlayStation']],
    ['a name that ends in a number', 'forever 21', ['Forever 21']],
    [
      'the longest name that the words begin with comes first',
      'uber eats 25 usd',
      ['Uber Eats', 'Uber'],
    ],
    ['a beginning finds all that begin so', 'amaz', ['Amazon.com', 'Amazon Prime']],
    ['a typo', 'playstaton', ['PlayStation']],
    ['nothing like it', 'zzzzzz', []],
    ['no words', '  ', []],
  ])('%s', (_fact, words, expected) => {
    expect(names(words)).toEqual(expected);
  });
});

describe('the products that words mean', () => {
  const TEN = product('a-10', 'Amazon.com', '10');
  const RANGE = product('a-range', 'Amazon.com', '1', '2000');
  const FIFTY = product('a-50', 'Amazon.com', '50');
  const PRODUCTS = [TEN, RANGE, FIFTY];
  const found = (words: string, at?: string) =>
    productsMeant(PRODUCTS, words, at === undefined ? undefined : value(at)).map(
      ({ product: { id }, isExact }) => [id, isExact],
    );

  it.each([
    ['an id is that product alone', 'A-50', undefined, [['a-50', true]]],
    ['a whole name is that product alone', 'amazon 10 usd', undefined, [['a-10', true]]],
    ['the same with its .com', 'Amazon.com 10 USD', undefined, [['a-10', true]]],
    [
      'a brand is all of its products',
      'amazon',
      undefined,
      [
        ['a-10', true],
        ['a-range', true],
        ['a-50', true],
      ],
    ],
    [
      'a fixed product of the value comes before a range',
      'amazon',
      '50',
      [
        ['a-50', true],
        ['a-range', true],
      ],
    ],
    [
      'the same value in another spelling',
      'amazon',
      '50.00',
      [
        ['a-50', true],
        ['a-range', true],
      ],
    ],
    ['a range that the value lies in', 'amazon', '25', [['a-range', true]]],
    ['the bounds of a range are in it', 'amazon', '2000', [['a-range', true]]],
    ['a value that nothing is sold at', 'amazon', '2000.01', []],
    ['a value that an id is not sold at', 'a-10', '11', []],
    [
      'what is only like a brand is not exact',
      'amaz',
      '10',
      [
        ['a-10', false],
        ['a-range', false],
      ],
    ],
    ['words after the brand are in the name', 'amazon 50', undefined, [['a-50', false]]],
    ['words after the brand that no name has', 'amazon shoes', undefined, []],
  ])('%s', (_fact, words, at, expected) => {
    expect(found(words, at)).toEqual(expected);
  });

  it('a product that tells no value is not sold at one', () => {
    expect(productsMeant([{ ...TEN, values: undefined }], 'amazon', value('10'))).toEqual([]);
  });
});

describe('the one product that is meant for certain', () => {
  const TEN = product('a-10', 'Amazon.com', '10');
  const TWIN = product('a-10-eu', 'Amazon.com', '10');
  const RANGE = product('a-range', 'Amazon.com', '1', '2000');
  const only = (products: readonly Sold[], words: string, at?: string) =>
    onlyMeant(productsMeant(products, words, at === undefined ? undefined : value(at)), {
      hasValue: at !== undefined,
    })?.id;

  it.each([
    ['its id', [TEN, RANGE], 'a-range', undefined, 'a-range'],
    ['the fixed one of the value before a range', [RANGE, TEN], 'amazon', '10', 'a-10'],
    ['a range where none is fixed at the value', [RANGE, TEN], 'amazon', '25', 'a-range'],
    ['the only one of its brand', [RANGE], 'amazon', undefined, 'a-range'],
    ['its own name', [TEN, RANGE], 'amazon 10 usd', undefined, 'a-10'],
    ['not of a brand that sells more', [TEN, RANGE], 'amazon', undefined, undefined],
    ['not of two of one value', [TEN, TWIN], 'amazon', '10', undefined],
    ['not by a part of a name', [TEN], 'amaz', '10', undefined],
    ['not by a name that is nothing', [TEN], 'zzzzzz', '10', undefined],
  ])('is %s', (_fact, products, words, at, id) => {
    expect(only(products, words, at)).toBe(id);
  });
});
