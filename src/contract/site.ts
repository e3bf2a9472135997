/** The one row that the site itself serves: interface, surface B, `GET {site_url}/api/available-countries`. */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';

/**
 * A country that the site lists. Ours: the interface says "ISO codes with names" and no field names.
 * `is_sold` tells where the checkout host sells; a list without it says nothing about that.
 */
export const availableCountry = lazy(() =>
  z.object({
    /** ISO 3166-1 alpha-2 or `xk`; lowercase on our service, either case is read. */
    code: z.string().regex(/^[A-Za-z]{2}$/, 'a country code is two letters'),
    name: z.string(),
    /** ISO 4217. */
    currency: z.string().optional(),
    is_sold: z.boolean().optional(),
  }),
);
export type WireCountry = Infer<typeof availableCountry>;

export const getAvailableCountries = endpoint({
  name: 'getAvailableCountries',
  surface: 'partner',
  method: 'GET',
  path: '/api/available-countries',
  summary: 'Countries with their codes and names',
  input: lazy(() => z.object({})),
  output: lazy(() => z.array(availableCountry())),
});
