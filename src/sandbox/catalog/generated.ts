/** A catalog generated from a seed, one country at a time. */
import { CATEGORY_KINDS, type Category, FAMILIES } from '../../domain/categories.ts';
import { type CatalogCountry, currencyOf, listCountries } from '../../domain/countries.ts';
import { type Brand, labelOf, type Product } from '../../domain/product.ts';
import type { Catalog } from '../../service/catalog.ts';
import { createShelves, type Shelf, shelve } from '../../service/shelf.ts';
import { goodsOf, type OfferedDenomination } from './denominations.ts';
import { draw, hash32, type Key } from './draw.ts';
import { createNameBook } from './invented-names.ts';
import { LOCAL_BRANDS } from './local-brands.ts';
import { marketSize } from './markets.ts';
import { OPERATORS } from './operators.ts';
import { areOfOneBrand, catalogUuid, countryOfId } from './product-id.ts';
import { WORLDWIDE_BRANDS } from './worldwide-brands.ts';

/** The seed of the embedded catalog. All machines share it, so docs and scripts can name products. */
export const CATALOG_SEED = 'scrip';

/** Raise it when the same seed generates other content: caches are keyed on it. */
const EDITION = 1;

/** One in so many invented brands is out of stock; well-known brands are always in stock. */
const OUT_OF_STOCK_ONE_IN = 60;

/** Brands per category in every hundred or so invented ones. */
const SHARES: Readonly<Record<Category, number>> = {
  'e-commerce': 8,
  retail: 12,
  electronics: 6,
  food: 12,
  groceries: 8,
  games: 9,
  entertainment: 5,
  streaming: 4,
  apparel_clothing: 12,
  health_beauty: 7,
  sports_fitness: 4,
  travel_flights: 6,
  home: 7,
  'e-money': 3,
  'e-sim': 1,
  mobile_talk_time: 2,
  mobile_credits: 1,
  mobile_bundle: 1,
  charity_donations: 3,
  other_products: 2,
};

const DECK = Object.entries(SHARES).flatMap(([category, share]) =>
  Array.from({ length: share }, () => category as Category),
);

interface Entry {
  readonly name: string;
  readonly category: Category;
  readonly isInvented: boolean;
}

/** Returns the invented name at a position in the whole catalog. */
type NameBook = ReturnType<typeof createNameBook>;

/**
 * Creates a catalog of about 10,000 brands in 180 countries; equal seeds give equal catalogs, ids
 * included. A country is generated on first use.
 */
export function createGeneratedCatalog({ seed }: { readonly seed: string }): Catalog {
  const book = createNameBook(seed);
  const countries = listCountries();
  const first = firstPositions(countries);
  const shelves = createShelves((countryCode) => {
    const position = first.get(countryCode);
    if (position === undefined) return [];
    const countryKey = hash32(`${seed}|${countryCode}|`);
    return entriesOf(countryCode, position, book).map((entry) =>
      shelfOf(countryCode, hash32(entry.name, countryKey), entry),
    );
  });
  return {
    version: `generated-${EDITION}-${hash32(seed).toString(16)}`,
    countries,
    brands: shelves.brands,
    products: shelves.products,
    product: (productId) =>
      shelves
        .of(countryOfId(productId) ?? '')
        .filter(({ brand }) => areOfOneBrand(brand.brandId, productId))
        .flatMap((shelf) => shelf.products())
        .find((product) => product.productId === productId),
    popularBrandNames: (countryCode) =>
      first.has(countryCode)
        ? knownEntries(countryCode, marketSize(countryCode)).map(({ name }) => name)
        : [],
  };
}

/** Position of each sold country's first invented name. */
function firstPositions(countries: readonly CatalogCountry[]): ReadonlyMap<string, number> {
  let position = 0;
  const sold = countries.filter(({ isSold }) => isSold);
  return new Map(
    sold.map(({ code }) => {
      const first = position;
      position += marketSize(code);
      return [code, first];
    }),
  );
}

/** A country's well-known brands, then invented ones up to the market's size. */
function entriesOf(countryCode: string, position: number, book: NameBook): readonly Entry[] {
  const size = marketSize(countryCode);
  const known = new Map(
    knownEntries(countryCode, size).map((entry) => [entry.name, entry] as const),
  );
  const invented = Array.from({ length: size - known.size }, (_, index) => {
    const category = categoryAt(position + index);
    return { name: book(position + index, category), category, isInvented: true };
  });
  return [...known.values(), ...invented];
}

function knownEntries(countryCode: string, size: number): readonly Entry[] {
  const worldwide = WORLDWIDE_BRANDS.filter(({ fromMarketSize }) => size >= fromMarketSize);
  const local = Object.entries(LOCAL_BRANDS[countryCode] ?? {}) as [Category, string][];
  const operators = OPERATORS[countryCode];
  return [
    ...worldwide.flatMap(({ category, names }) => entriesIn(category, names)),
    ...local.flatMap(([category, names]) => entriesIn(category, names)),
    ...(operators === undefined ? [] : entriesIn('mobile_talk_time', operators)),
  ];
}

function entriesIn(category: Category, names: string): readonly Entry[] {
  return names.split('|').map((name) => ({ name, category, isInvented: false }));
}

function categoryAt(position: number): Category {
  return DECK[draw(position, 'category', DECK.length)] ?? 'other_products';
}

function shelfOf(countryCode: string, key: Key, entry: Entry): Shelf {
  const { name, category } = entry;
  const kind = CATEGORY_KINDS[category];
  // eSIM data plans are priced in dollars in every country.
  const currency = kind === 'esim' ? 'USD' : currencyOf(countryCode);
  const { offers, bounds } = goodsOf(category, currency, key);
  const brand: Brand = {
    brandId: catalogUuid(countryCode, key, ''),
    name,
    family: FAMILIES[kind],
    category,
    kind,
    countryCode,
    currency,
    isOutOfStock: entry.isInvented && draw(key, 'stock', OUT_OF_STOCK_ONE_IN) === 0,
    ...bounds,
  };
  return shelve(brand, () => offers.map((offer) => productOf(brand, key, offer)));
}

function productOf(brand: Brand, key: Key, { denomination, plan }: OfferedDenomination): Product {
  const label = plan ?? labelOf(denomination, brand.currency);
  return {
    productId: catalogUuid(brand.countryCode, key, label),
    name: `${brand.name} ${label}`,
    brand,
    denomination,
    label,
  };
}
