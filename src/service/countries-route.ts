/** The site's list of countries: all codes, whether sold in or not. */
import type { WireCountry } from '../contract/site.ts';
import type { Catalog } from './catalog.ts';

/** Returns the answer of `GET /api/available-countries`. */
export function countryList({ countries }: Pick<Catalog, 'countries'>): readonly WireCountry[] {
  return countries.map(({ code, name, currency, isSold }) => ({
    code,
    name,
    currency,
    is_sold: isSold,
  }));
}
