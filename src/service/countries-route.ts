/** The site's list of countries: every code that there is, sold in or not. */
import type { WireCountry } from '../contract/site.ts';
import type { Catalog } from './catalog.ts';

/** What `GET /api/available-countries` answers, the same for everybody. */
export function countryList({ countries }: Pick<Catalog, 'countries'>): readonly WireCountry[] {
  return countries.map(({ code, name, currency, isSold }) => ({
    code,
    name,
    currency,
    is_sold: isSold,
  }));
}
