/** A catalog generated from a seed, one country at a time. */

import { atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { CATEGORY_KINDS, type Category, FAMILIES } from '../../domain/product/categories.ts';
import { type CatalogCountry, currencyOf, listCountries } from '../../domain/product/countries.ts';
import {
  type Brand,
  type Denomination,
  faceValueBounds,
  labelOf,
  type Product,
} from '../../domain/product/product.ts';
import { type Catalog, createShelves, type Shelf, shelve } from '../../service/catalog/catalog.ts';
import { UNITS_PER_USD } from '../rates.ts';
import { draw, hash32, type Key } from './draw.ts';
import {
  LOCAL_BRANDS,
  marketSize,
  OPERATORS,
  OTHER_OPERATORS,
  WORLDWIDE_BRANDS,
} from './known-brands.ts';
import { areOfOneBrand, catalogUuid, countryOfId } from './product-id.ts';

/** The seed of the embedded catalog. All machines share it, so docs and scripts can name products. */
export const CATALOG_SEED = 'scrip';

/** Raise it when the same seed generates other content: caches are keyed on it. */
const EDITION = 2;

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
  const worldwide = WORLDWIDE_BRANDS.filter(([fromMarketSize]) => size >= fromMarketSize);
  const known = [
    ...worldwide.map(([, brands]) => brands),
    LOCAL_BRANDS[countryCode] ?? {},
    { mobile_talk_time: OPERATORS[countryCode] ?? OTHER_OPERATORS },
  ];
  return known.flatMap((brands) =>
    (Object.entries(brands) as [Category, string][]).flatMap(([category, names]) =>
      names.split('|').map((name) => ({ name, category, isInvented: false })),
    ),
  );
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

// The denominations of a brand: fixed face values, a range with a step, or plans; sized to the currency.

/** A product before it is assigned to a brand. */
interface OfferedDenomination {
  readonly denomination: Denomination;
  /** The plan's name, which replaces the face value in labels: `1 GB 7 days`. */
  readonly plan?: string;
}

interface Denominations {
  readonly offers: readonly OfferedDenomination[];
  readonly bounds: ReturnType<typeof faceValueBounds>;
}

type Style = 'fixed' | 'range' | 'both';

/** Face values in units of the currency's magnitude: dollars, hundreds of yen. */
interface Assortment {
  readonly ladder: readonly number[];
  readonly range: { readonly min: number; readonly max: number; readonly step: number };
  /** One is drawn per brand; a style listed twice is drawn twice as often. */
  readonly styles: readonly Style[];
}

const EVEN: readonly Style[] = ['fixed', 'range', 'both'];
const FIXED: readonly Style[] = ['fixed'];

const assortment = (
  ladder: readonly number[],
  [min, max, step]: readonly [min: number, max: number, step: number],
  styles: readonly Style[] = EVEN,
): Assortment => ({ ladder, range: { min, max, step }, styles });

/** Ours: values that such shops usually sell. */
const ASSORTMENTS: Readonly<Record<Exclude<Category, 'e-sim' | 'mobile_bundle'>, Assortment>> = {
  'e-commerce': assortment([10, 25, 50, 100], [1, 2000, 1], ['both']),
  retail: assortment([10, 25, 50, 100, 200], [5, 500, 1]),
  electronics: assortment([25, 50, 100, 200, 500], [10, 1000, 5]),
  food: assortment([10, 15, 25, 50], [5, 250, 1]),
  groceries: assortment([10, 25, 50, 100, 150], [5, 500, 5]),
  games: assortment([5, 10, 20, 50, 100], [5, 200, 5], ['fixed', 'fixed', 'both']),
  entertainment: assortment([10, 15, 25, 50, 100], [5, 500, 1]),
  streaming: assortment([15, 25, 30, 50, 60], [10, 200, 1], ['fixed', 'fixed', 'both']),
  apparel_clothing: assortment([10, 25, 50, 100, 150], [5, 500, 1]),
  health_beauty: assortment([10, 20, 25, 50, 100], [5, 250, 5]),
  sports_fitness: assortment([20, 25, 50, 100], [10, 500, 10]),
  travel_flights: assortment([25, 50, 100, 250, 500], [25, 2000, 5]),
  home: assortment([25, 50, 100, 200], [10, 1000, 1]),
  'e-money': assortment([10, 25, 50, 100], [10, 500, 10], FIXED),
  mobile_talk_time: assortment([5, 10, 15, 20, 30], [2, 100, 1], ['fixed', 'range']),
  mobile_credits: assortment([5, 10, 20, 30, 50], [5, 100, 5], ['fixed', 'both']),
  charity_donations: assortment([10, 25, 50, 100], [5, 1000, 1], ['both', 'range']),
  other_products: assortment([10, 20, 30, 50], [5, 200, 5], ['fixed', 'both']),
};

/** Data plans of eSIMs, priced in US cents. */
const ESIM_PLANS: readonly (readonly [plan: string, cents: number])[] = [
  ['1 GB 7 days', 400],
  ['3 GB 30 days', 900],
  ['5 GB 30 days', 1300],
  ['10 GB 30 days', 2200],
  ['20 GB 30 days', 3600],
];

/** Bundles of mobile operators, priced in units of the currency's magnitude. */
const BUNDLES: readonly (readonly [plan: string, price: number])[] = [
  ['2 GB 7 days', 3],
  ['5 GB 30 days', 8],
  ['10 GB 30 days', 15],
  ['Unlimited 30 days', 30],
];

const MICROS = 10n ** BigInt(FACE_DECIMALS);
const MICROS_PER_CENT = MICROS / 100n;

/** Returns a brand's denominations, smallest first, the range last; the key draws one style. */
function goodsOf(category: Category, currency: string, key: Key): Denominations {
  const styles =
    category === 'e-sim' || category === 'mobile_bundle' ? FIXED : ASSORTMENTS[category].styles;
  const style = styles[draw(key, 'goods', styles.length)] ?? 'both';
  const name = `${category} ${currency} ${style}`;
  const known = made.get(name);
  if (known) return known;
  const offers = makeOffers(category, currency, style);
  const goods = { offers, bounds: faceValueBounds(offers.map((offer) => offer.denomination)) };
  made.set(name, goods);
  return goods;
}

/** Shared between brands: many brands of a country sell the same denominations. */
const made = new Map<string, Denominations>();

function makeOffers(
  category: Category,
  currency: string,
  style: Style,
): readonly OfferedDenomination[] {
  if (category === 'e-sim') return plans(ESIM_PLANS, MICROS_PER_CENT);
  const unit = magnitudeOf(currency) * MICROS;
  if (category === 'mobile_bundle') return plans(BUNDLES, unit);
  const { ladder, range } = ASSORTMENTS[category];
  const fixed = ladder.map((steps) => fixedOffer(BigInt(steps) * unit));
  const ranged = rangeOffer(range, unit);
  if (style === 'both') return [...fixed, ranged];
  return style === 'fixed' ? fixed : [ranged];
}

/** The power of ten nearest to the value of a dollar, at least one: 1 for EUR, 100 for JPY. */
function magnitudeOf(currency: string): bigint {
  const units = parseDecimal(UNITS_PER_USD[currency] ?? '1', FACE_DECIMALS);
  let magnitude = 1n;
  // Nearest on a logarithmic scale: continue while the squared rate is over 10 x magnitude^2.
  while (units * units > 10n * (magnitude * MICROS) ** 2n) magnitude *= 10n;
  return magnitude;
}

function plans(
  list: readonly (readonly [plan: string, price: number])[],
  unit: bigint,
): readonly OfferedDenomination[] {
  return list.map(([plan, price]) => ({ ...fixedOffer(BigInt(price) * unit), plan }));
}

function fixedOffer(value: bigint): OfferedDenomination {
  return { denomination: { isRange: false, faceValue: atomic(value) } };
}

function rangeOffer({ min, max, step }: Assortment['range'], unit: bigint): OfferedDenomination {
  return {
    denomination: {
      isRange: true,
      min: atomic(BigInt(min) * unit),
      max: atomic(BigInt(max) * unit),
      step: atomic(BigInt(step) * unit),
    },
  };
}

// Invented brand names: a beginning and an ending from two tables, each pair used once per catalog.

// All beginnings have three letters, so no two pairs spell the same name. Both lists avoid rude
// words in the languages we read.
const BEGINNINGS = (
  'Bal Bar Bel Ber Bol Bor Bur Cal Cam Car Cel Dal Dan Dar Del Den Dol Dor Dur Fal Far Fen Fer ' +
  'Fol Gal Gar Gel Gol Gor Hal Har Hel Hol Jal Jan Jar Jen Jol Jor Kal Kar Kel Ken Ker Kol Kor Lam ' +
  'Lan Lar Len Lor Lum Lun Mar Mel Mer Mil Mir Mon Nal Nar Nel Ner Nol Nor Nov Pal Par Pel ' +
  'Per Pol Por Ral Ran Rel Ren Rom Ron Sal San Sar Sel Sil Sol Sor Tal Tan Tar Tel Tem Ter Tol Tor ' +
  'Val Van Var Vel Ven Ver Vil Vol Wal War Wel Wen Yal Yar Yen Zal Zan Zar Zel Zen Zor'
).split(' ');

const ENDINGS = (
  'adia adora amar amis ando anta ante ariel aris arka arno asco aster avia avos aya eda ' +
  'edra elia elio ella ello emia emo endo enna enta eon era eris erno esca essa esto eta etto eva ' +
  'evo exa ida iera igo ika ilia ilo ima imar indo inea ino inta iola ion ira iris isco issa ista ' +
  'iva ivo ixa oba odeo olia olo oma onda onia oria oro osta otto ova ovia oxa oya unia uno ura ' +
  'uria uva uvia axis elle iro'
).split(' ');

/** Number of invented names. */
const INVENTED_NAMES = BEGINNINGS.length * ENDINGS.length;

/** Words that such a business adds to its name; the empty word adds none. */
const WORDS: Readonly<Record<Category, readonly string[]>> = {
  'e-commerce': ['Online', 'Marketplace', 'Bazaar', 'Direct', 'Shop'],
  retail: ['Stores', 'Department Store', 'Outlet', 'Mall', ''],
  electronics: ['Electronics', 'Tech', 'Digital', 'Devices'],
  food: ['Kitchen', 'Pizza', 'Coffee', 'Grill', 'Bakery', 'Bistro'],
  groceries: ['Market', 'Foods', 'Supermarket', 'Fresh', 'Grocers'],
  games: ['Games', 'Online', 'Arena', 'Quest', 'Legends'],
  entertainment: ['Cinemas', 'Tickets', 'Live', 'Park'],
  streaming: ['TV', 'Music', 'Play', 'Stream'],
  apparel_clothing: ['', 'Fashion', 'Apparel', 'Shoes', 'Kids'],
  health_beauty: ['Beauty', 'Pharmacy', 'Cosmetics', 'Spa', 'Optics'],
  sports_fitness: ['Sports', 'Fitness', 'Outdoor', 'Cycling'],
  travel_flights: ['Travel', 'Hotels', 'Airlines', 'Tours', 'Rides'],
  home: ['Home', 'Furniture', 'Garden', 'Living', 'DIY'],
  'e-money': ['Pay', 'Wallet', 'Prepaid', 'Cash'],
  'e-sim': ['eSIM', 'Travel eSIM', 'Roam'],
  mobile_talk_time: ['Mobile', 'Telecom', 'Cell'],
  mobile_credits: ['Mobile Credits', 'Telecom Credits'],
  mobile_bundle: ['Mobile Bundles', 'Data'],
  charity_donations: ['Foundation', 'Relief', 'Fund'],
  other_products: ['Learning', 'Software', 'VPN', 'Magazine', 'Gifts'],
};

/** Returns the name at a position in the whole catalog; each seed has its own order. */
function createNameBook(seed: string): (position: number, category: Category) => string {
  const start = hash32(`names|${seed}`) % INVENTED_NAMES;
  const stride = coprimeStride(seed);
  return (position, category) => {
    // A stride coprime to the count visits every pair before it repeats one.
    const index = (start + position * stride) % INVENTED_NAMES;
    const beginning = BEGINNINGS[Math.floor(index / ENDINGS.length)] ?? '';
    const root = beginning + (ENDINGS[index % ENDINGS.length] ?? '');
    const words = WORDS[category];
    return `${root} ${words[draw(index, 'word', words.length)] ?? ''}`.trimEnd();
  };
}

function coprimeStride(seed: string): number {
  let stride = 1 + (hash32(`stride|${seed}`) % (INVENTED_NAMES - 1));
  while (greatestCommonDivisor(stride, INVENTED_NAMES) !== 1) stride += 1;
  return stride;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
