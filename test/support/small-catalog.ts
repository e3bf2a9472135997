/** A catalog that fits on a page: one product of each shape that matters to the checkout. */
import { parseDecimal } from '../../src/domain/money/money.ts';
import type { Brand, Denomination, Product } from '../../src/domain/product/product.ts';
import type { Catalog } from '../../src/service/catalog/catalog.ts';

const face = (text: string) => parseDecimal(text, 6);

function brand(name: string, more: Partial<Brand> = {}): Brand {
  return {
    brandId: name.toLowerCase(),
    name,
    family: 'Gift Cards',
    category: 'e-commerce',
    kind: 'giftcard',
    countryCode: 'us',
    currency: 'USD',
    isOutOfStock: false,
    minFaceValue: face('5'),
    maxFaceValue: face('500'),
    ...more,
  };
}

const AMAZON = brand('Amazon.com');
const EMPTY = brand('Nowhere', { isOutOfStock: true });
const CLARO = brand('Claro Credits', {
  family: 'Mobile Recharge',
  category: 'mobile_credits',
  kind: 'mobile_topup',
  countryCode: 'br',
  currency: 'BRL',
});
const ICE = brand('Ice', { countryCode: 'aq' });

const BRANDS: readonly Brand[] = [AMAZON, EMPTY, CLARO, ICE];

function product(productId: string, of: Brand, denomination: Denomination, label: string): Product {
  return { productId, name: `${of.name} ${label}`, brand: of, denomination, label };
}

const fixed = (value: string): Denomination => ({ isRange: false, faceValue: face(value) });
const range: Denomination = { isRange: true, min: face('5'), max: face('500'), step: face('2.5') };

const PRODUCTS: readonly Product[] = [
  product('amazon-25', AMAZON, fixed('25'), '25 USD'),
  product('amazon-50', AMAZON, fixed('50'), '50 USD'),
  product('amazon-range', AMAZON, range, '5 to 500 USD'),
  product('nowhere-25', EMPTY, fixed('25'), '25 USD'),
  product('claro-20', CLARO, fixed('20'), '20 BRL'),
  product('ice-5', ICE, fixed('5'), '5 USD'),
];

/** Sells in us and br; aq is on the site's list alone. */
export const smallCatalog: Catalog = {
  version: 'small-1',
  countries: [
    { code: 'us', name: 'United States', currency: 'USD', isSold: true },
    { code: 'br', name: 'Brazil', currency: 'BRL', isSold: true },
    { code: 'aq', name: 'Antarctica', currency: 'USD', isSold: false },
  ],
  brands: (countryCode) => BRANDS.filter((candidate) => candidate.countryCode === countryCode),
  products: (countryCode, filter = {}) =>
    PRODUCTS.filter(
      ({ brand: of }) =>
        of.countryCode === countryCode &&
        (filter.brandName === undefined || filter.brandName === of.name) &&
        (filter.family === undefined || filter.family === of.family),
    ),
  product: (productId) => PRODUCTS.find((candidate) => candidate.productId === productId),
};
