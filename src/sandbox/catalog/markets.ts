/** Number of brands per country. All of it is ours: the interface gives only totals. */
import { draw, hash32 } from './draw.ts';

/** Countries of a similar size: each has `size` brands, plus up to `spread - 1` more. */
interface Tier {
  readonly size: number;
  readonly spread: number;
  readonly countries: string;
}

/** Market sizes; a country in no tier is `SMALL`. */
export const LARGEST = 180;
export const LARGE = 112;
export const MEDIUM = 68;
const MODEST = 36;
const SMALL = 20;
const SMALL_SPREAD = 6;

const TIERS: readonly Tier[] = [
  { size: 420, spread: 1, countries: 'us' },
  { size: LARGEST, spread: 26, countries: 'gb de fr it es ca au br mx in jp' },
  {
    size: LARGE,
    spread: 20,
    countries: 'nl pl se ch at be pt ie tr ae sa za kr sg ph id my th vn ar co cl ng',
  },
  {
    size: MEDIUM,
    spread: 14,
    countries:
      'dk no fi cz gr hu ro nz il eg ma ke gh pe ec ua hk tw pk bd qa kw kz do cr gt pa uy cn',
  },
  {
    size: MODEST,
    spread: 8,
    countries:
      'bg hr sk si lt lv ee lu cy mt is rs ba al mk me ge am az uz jo lb om bh tn dz ci sn cm ug tz ' +
      'et zm zw lk np kh sv hn ni bo py ve jm tt pr mu',
  },
];

const sizes = new Map(
  TIERS.flatMap(({ size, spread, countries }) =>
    countries.split(' ').map((code) => [code, { size, spread }] as const),
  ),
);

/** Returns the number of brands in a country, the same for every seed. */
export function marketSize(countryCode: string): number {
  const { size, spread } = sizes.get(countryCode) ?? { size: SMALL, spread: SMALL_SPREAD };
  return size + draw(hash32(countryCode), 'market', spread);
}
