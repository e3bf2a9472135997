import { describe, expect, it } from 'vitest';
import type { Brand } from '../../src/domain/product/product.ts';
import { createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { createCatalogSearch, createSearchIndex } from '../../src/service/catalog/search.ts';
import { smallCatalog } from '../support/small-catalog.ts';

const catalog = createGeneratedCatalog({ seed: 'scrip' });
const inUs = createCatalogSearch(catalog)('us')!;
const first = (text: string) => inUs.search(text)[0]?.name;

const [anyBrand] = smallCatalog.brands('us');
const index = (...names: string[]) =>
  createSearchIndex(names.map((name): Brand => ({ ...anyBrand!, brandId: name, name })));
const names = (brands: readonly Brand[]) => brands.map(({ name }) => name);

describe('a search in a country', () => {
  it.each([
    ['amzon', 'Amazon.com'],
    ['netflx', 'Netflix'],
    ['stea', 'Steam'],
    ['amazon', 'Amazon.com'],
    ['AMAZON.COM', 'Amazon.com'],
    ['spotfy', 'Spotify'],
    ['play station', 'PlayStation'],
    ['nintndo eshop', 'Nintendo eShop'],
    ['esim', 'eSIM'],
  ])('%s finds %s first', (text, name) => {
    expect(first(text)).toBe(name);
  });

  it('finds nothing that is like nothing', () => {
    expect(inUs.search('qqqqqqqqqqqq')).toEqual([]);
    expect(inUs.search('?!')).toEqual([]);
  });

  it('gives thirty at most', () => {
    expect(inUs.search('a')).toHaveLength(30);
  });

  it('has no index where nothing is sold', () => {
    expect(createCatalogSearch(catalog)('zz')).toBeUndefined();
  });
});

describe('a search over all countries', () => {
  const brands = catalog.countries.flatMap(({ code }) => catalog.brands(code));
  const all = createSearchIndex(brands);

  it.each([
    ['amzon', /^Amazon/],
    ['netflx', /^Netflix$/],
    ['stea', /^Stea/],
  ])('of ten thousand brands, %s finds its brand first', (text, name) => {
    expect(brands.length).toBeGreaterThan(9_500);
    expect(all.search(text)[0]?.name).toMatch(name);
  });
});

describe('an order of hits', () => {
  it('is whole name, beginning, beginning of a word, part of a word', () => {
    const found = index('Demarest', 'The Mare', 'Mare Nostrum', 'Mare').search('mare');
    expect(names(found)).toEqual(['Mare', 'Mare Nostrum', 'The Mare', 'Demarest']);
  });

  it('has guesses after what was typed', () => {
    expect(names(index('Marie', 'Mare').search('mare'))).toEqual(['Mare', 'Marie']);
  });

  it('has no guesses where enough was found', () => {
    const found = index('Marie', 'Mare', 'Mareika', 'Marengo').search('mare');
    expect(names(found)).not.toContain('Marie');
  });

  it('has the better known first among equals', () => {
    const brands = ['Marengo', 'Mareika'].map((name): Brand => ({ ...anyBrand!, name }));
    const known = createSearchIndex(brands, ({ name }) => (name === 'Mareika' ? 1 : 0));
    expect(names(known.search('mare'))).toEqual(['Mareika', 'Marengo']);
  });

  it('takes accents and other scripts as they are typed', () => {
    const some = index('Café Olé', 'Яндекс', '星巴克');
    expect(names(some.search('cafe ole'))).toEqual(['Café Olé']);
    expect(names(some.search('янд'))).toEqual(['Яндекс']);
    expect(names(some.search('星'))).toEqual(['星巴克']);
  });

  it('folds letters by the rules of the language', () => {
    expect(names(index('Ilgın').search('ILGIN', 'tr'))).toEqual(['Ilgın']);
  });
});

it('an index is made anew when the catalog has another version', () => {
  let version = '1';
  let brands: readonly Brand[] = [{ ...anyBrand!, name: 'Old' }];
  const search = createCatalogSearch({
    ...smallCatalog,
    get version() {
      return version;
    },
    brands: () => brands,
  });
  const before = search('us');
  expect(search('us')).toBe(before);
  [version, brands] = ['2', [{ ...anyBrand!, name: 'New' }]];
  expect(names(search('us')?.search('new') ?? [])).toEqual(['New']);
  expect(search('us')).not.toBe(before);
});
