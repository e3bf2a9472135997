/** The site's list of countries: every code that there is, sold in or not. */
import type { WireCountry } from '../contract/site.ts';
import type { Catalog } from './catalog.ts';
import { jsonReply } from './reply.ts';

/** A handler for `GET /api/available-countries`; the list is the same for everybody. */
export function createCountriesHandler(catalog: Pick<Catalog, 'countries'>): () => Response {
  return () => {
    const countries: readonly WireCountry[] = catalog.countries.map(
      ({ code, name, currency, isSold }) => ({ code, name, currency, is_sold: isSold }),
    );
    return jsonReply(countries, 200, { 'Cache-Control': 'no-cache' });
  };
}
