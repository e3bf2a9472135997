/** The one endpoint of the site itself: interface, surface B, `GET {site_url}/api/available-countries`. */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';

/**
 * A country that the site lists. Ours: the interface says "ISO codes with names" without field
 * names. `is_sold` says whether the checkout host sells there; without it that is unknown.
 */
export const availableCountry = object(() => ({
  /** ISO 3166-1 alpha-2 or `xk`; our service writes lowercase, clients accept either case. */
  code: z.string().regex(/^[A-Za-z]{2}$/, 'a country code is two letters'),
  name: z.string(),
  /** ISO 4217. */
  currency: z.string().optional(),
  is_sold: z.boolean().optional(),
}));
export type WireCountry = Infer<typeof availableCountry>;

export const getAvailableCountries = endpoint({
  name: 'getAvailableCountries',
  method: 'GET',
  path: '/api/available-countries',
  summary: 'Countries with their codes and names',
  input: object(() => ({})),
  output: lazy(() => z.array(availableCountry())),
});
