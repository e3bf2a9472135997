/** The denominations of a brand: fixed face values, a range with a step, or plans; sized to the currency. */
import type { Category } from '../../domain/categories.ts';
import { atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { type Denomination, faceValueBounds } from '../../domain/product.ts';
import { UNITS_PER_USD } from '../rates.ts';
import { draw, type Key } from './draw.ts';

/** A product before it is assigned to a brand. */
export interface OfferedDenomination {
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
  'e-money': assortment([10, 25, 50, 100], [10, 500, 10], ['fixed']),
  mobile_talk_time: assortment([5, 10, 15, 20, 30], [2, 100, 1], ['fixed', 'range']),
  mobile_credits: assortment([5, 10, 20, 30, 50], [5, 100, 5], ['fixed', 'both']),
  charity_donations: assortment([10, 25, 50, 100], [5, 1000, 1], ['both', 'range']),
  other_products: assortment([10, 20, 30, 50], [5, 200, 5], ['fixed', 'both']),
};

/** Data plans of eSIMs with their lowest price in US cents. */
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

/** Number of eSIM price levels. */
const TARIFFS = 4;

const MICROS = 10n ** BigInt(FACE_DECIMALS);
const MICROS_PER_CENT = MICROS / 100n;

/** Returns a brand's denominations, smallest first, the range last; the key draws one variant. */
export function goodsOf(category: Category, currency: string, key: Key): Denominations {
  const variant = draw(key, 'goods', variantsOf(category));
  const name = `${category} ${currency} ${variant}`;
  const known = made.get(name);
  if (known) return known;
  const offers = makeOffers(category, currency, variant);
  const goods = { offers, bounds: faceValueBounds(offers.map((offer) => offer.denomination)) };
  made.set(name, goods);
  return goods;
}

/** Shared between brands: many brands of a country sell the same denominations. */
const made = new Map<string, Denominations>();

/** Number of different assortments of a category in one currency. */
function variantsOf(category: Category): number {
  if (category === 'e-sim') return TARIFFS;
  return category === 'mobile_bundle' ? 1 : ASSORTMENTS[category].styles.length;
}

function makeOffers(
  category: Category,
  currency: string,
  variant: number,
): readonly OfferedDenomination[] {
  if (category === 'e-sim') return plans(ESIM_PLANS, esimUnit(variant));
  const unit = magnitudeOf(currency) * MICROS;
  if (category === 'mobile_bundle') return plans(BUNDLES, unit);
  const { ladder, range, styles } = ASSORTMENTS[category];
  const style = styles[variant] ?? 'both';
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

/** Data prices differ between countries: each tariff adds a quarter, which keeps whole cents. */
function esimUnit(tariff: number): bigint {
  return (MICROS_PER_CENT * BigInt(TARIFFS + tariff)) / BigInt(TARIFFS);
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
